package screen

import (
	"slices"
	"strings"
)

// rules is the table of what is refused. Each row is anchored on the form that the
// vendor fixed: prefix, alphabet, length. To add a kind, add a row (byPrefix
// when a match begins with its literal, byWord when a word on the line tells what it is,
// byInfix when the literal stands within the match) and a line to the kinds of the test.
var rules = slices.Concat(fileRules, cloudRules, forgeRules, modelRules, serviceRules, headerRules, []rule{namedRule})

// fileRules are secrets that are more than a token: keys in armour, hashes of
// passwords, the formats of programs that keep a password in a file.
var fileRules = []rule{
	byPrefix("private-key", "<D> <P> <InverseQ>", `\s*([0-9A-Za-z+/]{20,}=*)`).near("RSAKeyValue"),
	byPrefix("private-key", "nsec1", `([02-9ac-hj-np-z]{58})`),
	byPrefix("private-key", "SA SB SC SD", `([2-7A-Z]{54})`).onlyIf(hasDigit),
	byPrefix("private-key", "$ANSIBLE_VAULT;", `[0-9.]+;AES256[^\n]*\n([ \t]*[0-9a-f]{60,80}(?:\r?\n[ \t]*[0-9a-f]{2,80})*)`),
	byPrefix("password-hash", "*0 *1 *2 *3 *4 *5 *6 *7 *8 *9 *A *B *C *D *E *F", `([0-9A-F]{39})`).onlyIf(hasDigit), // of MySQL
	byPrefix("password-hash", "$DCC2$", `[0-9]+#[^#\s]+#([0-9a-f]{32})`),
	byPrefix("password-hash", "SCRAM-SHA-", `[0-9]+\$[0-9]+:[0-9A-Za-z+/=]+\$([0-9A-Za-z+/=]+:[0-9A-Za-z+/=]{20,})`),
	byPrefix("password-hash", "scrypt: pbkdf2:", `[0-9a-z:]{1,30}\$[0-9A-Za-z]{1,40}\$([0-9a-f]{64,})`),
	byPrefix("password-hash", "$9$", `([0-9A-Za-z./-]{10,})`),
	byPrefix("password-hash", "$P$ $H$", `([0-9A-Za-z./]{31})`),
	byPrefix("password-hash", "$krb5tgs$ $krb5asrep$ $krb5pa$", `[0-9]+\$[^\s]{0,300}?\$([0-9a-f]{32,})`),
	byWords("recovery-code", "recovery backup", `\s(?i:codes?)`+listGap+`([0-9a-z]{4,5}-[0-9a-z]{4,5}(?:[\s,>*-]+[0-9a-z]{4,5}-[0-9a-z]{4,5})+)\b`).onlyIf(hasDigit),
	byWord("recovery-code", "recovery", `[ -]?(?i:key)`+listGap+`((?:[0-9A-Za-z]{4}[ -]){5,13}[0-9A-Za-z]{2,4})\b`).onlyIf(hasDigit),
	byWord("app-password", "app", `(?i:lication)?[ -](?i:specific )?(?i:passwords?)[^\n]{0,40}?(?:is|[:=\x60])\s*["'\x60]?((?:[0-9A-Za-z]{4}[ -]){3,5}[0-9A-Za-z]{4})\b`).onlyIf(isGroups).ofWords(),
	{name: "private-key", literals: []string{"-----BEGIN ", "---- BEGIN "}, reach: longReach, pattern: privateKeyBlock},
	byPrefix("private-key", "MII", derKey),
	byPrefix("private-key", "b3BlbnNzaC1rZXktdj MC4CAQAwBQYDK2V MHcCAQEE", `([0-9A-Za-z+/]{40,}=*)`), // OpenSSH, Ed25519, elliptic curves
	byPrefix("private-key", "ED25519-V3:", `([0-9A-Za-z+/]{80,}={0,2})`),                             // of Tor
	byPrefix("private-key", "ed25519e_sk1 ed25519_sk1 xprv1 acct_xsk1 root_xsk1 addr_xsk1", `([02-9ac-hj-np-z]{50,})`),
	byPrefix("private-key", "Private-Lines:", ` [0-9]+[^\n]*\s+([0-9A-Za-z+/]{40,}=*)`), // of PuTTY
	byPrefix("age-secret-key", "AGE-SECRET-KEY-1 AGE-SECRET-KEY-PQ-1", `([0-9A-Z]{58,})`),
	byPrefix("bitcoin-private-key", "5H 5J 5K Kw Kx Ky Kz L1 L2 L3 L4 L5", `([1-9A-HJ-NP-Za-km-z]{49,50})`).onlyIf(isVaried),
	byWords("private-key", "_key keypair solana", `[^\n\[]{0,80}\[((?:\s*[0-9]{1,3}\s*,){15,63}\s*[0-9]{1,3}\s*)\]`),
	byPrefix("bitcoin-private-key", "xprv", `([1-9A-HJ-NP-Za-km-z]{107})`),
	byPrefix("password-hash", "$apr1$ $1$", `[0-9A-Za-z./]{1,8}\$([0-9A-Za-z./]{22})`),
	byPrefix("password-hash", "$2a$ $2b$ $2y$", `[0-9]{2}\$([0-9A-Za-z./]{53})`),
	byPrefix("password-hash", "$5$ $6$", `(?:rounds=[0-9]+\$)?[0-9A-Za-z./]{1,16}\$([0-9A-Za-z./]{43,86})`),
	byPrefix("password-hash", "$y$ $7$ $gy$", `[0-9A-Za-z./]+\$[0-9A-Za-z./]{4,}\$([0-9A-Za-z./]{43})`),
	byPrefix("password-hash", "$argon2id$ $argon2i$ $argon2d$", `v=[0-9]+\$[a-z0-9=,]+\$[0-9A-Za-z+/]{8,}\$([0-9A-Za-z+/]{20,})`),
	byPrefix("password-hash", "pbkdf2_sha256$ pbkdf2_sha1$", `[0-9]+\$[0-9A-Za-z./]+\$([0-9A-Za-z+/]{27,}=)`),
	byPrefix("password-hash", "{SHA} {SSHA}", `([0-9A-Za-z+/]{27,}=)`),
	{name: "kubernetes-secret", literals: []string{"kind: Secret"}, reach: tokenReach, isSecret: isPackedSecret,
		pattern: lazyPattern(`^kind: Secret[ \t]*\r?\n(?s:.{0,800}?)\bdata:[ \t]*\r?\n(?s:.{0,200}?)[0-9A-Za-z._-]+:[ \t]+(?:[|>][+-]?\s+)?["']?([0-9A-Za-z+/]{8,}={0,2})`)},
	{name: "kubernetes-secret", literals: []string{"data:"}, reach: tokenReach, isSecret: isPackedSecret,
		pattern: lazyPattern(`^data:[ \t]*\r?\n[ \t]+[0-9A-Za-z._-]+:[ \t]+["']?([0-9A-Za-z+/]{8,}={0,2})["']?[ \t]*\r?\n(?:[ \t][^\n]*\n){0,20}?(?:(?:immutable|metadata)[^\n]*\n)?kind: Secret`)},
	byInfix("pgpass-password", ":5432:", lead{isHostChar, 1, maxLead}, `[0-9A-Za-z.*-]+:5432:[^\s:]+:[^\s:]+:([^\s"'\x60]{6,})`).unless(isWellKnown),
	byInfix("password-hash", ":::", lead{isHashChar, 65, 65}, `[0-9A-Fa-f]{32}:([0-9A-Fa-f]{32}):::`),
	byPrefix("terraform-state", `"result" "bcrypt_hash"`, `\s*:\s*"([^"\s]{8,})"`).onlyIf(isLikelySecret).near("random_password", "random_string"),
	byPrefix("otp-secret", "otpauth://", `[^\s"'<>]{0,200}?secret=([2-7A-Za-z]{16,})`),
	byPrefix("json-web-key", `"d" "k"`, `\s*:\s*"([0-9A-Za-z_-]{22,})"`).onlyIf(isRandom),
	byWord("kubernetes-secret", "token", `[ \t=:]+["']?([0-9a-z]{6}\.[0-9a-z]{16})\b`).onlyIf(hasDigit),
	byPrefix("private-key", `"ciphertext"`, `\s*:\s*"([0-9a-f]{32,})"`), // of Ethereum
	byPrefix("django-secret-key", "django-insecure-", `([!-&(-~]{40,})`),
}

// privateKeyBlock is the first line of a private key in PEM, OpenSSH or PGP armour
// (RFC 7468, RFC 9580), then key material: that line alone is no secret. Between
// the lines may stand what quotes them in a program, in JSON, in a quotation.
var privateKeyBlock = lazyPattern(`^-{4,5} ?BEGIN [0-9A-Za-z -]{0,24}(?i:PRIVATE|STATIC|SERVER|CLIENT|SECRET) (?i:KEY)(?: BLOCK| V[0-9])? ?-{4,5}` +
	`(?:` + quoteGap + `[A-Za-z-]+: (?:-?[^\n\\-])*)*` + quoteGap + `([0-9A-Za-z+/]{32,}=*)` +
	`(?:(?:\r?\n|\\r?\\?n)[\t >"'+]*[0-9A-Za-z+/=]{20,})*`)

// listGap is what stands between a name and what is given for it, on its line or the next.
const listGap = `[^:=\n]{0,40}?(?:[:=]|\bis\b)[\s"'\x60>*-]{0,12}(?:[0-9]{1,2}[.)]\s)?`

const quoteGap = `(?:\s|\\[nrt]|["'+,>#|*]|<!--[^\n-]*(?:-[^\n-]+)*-->)+`

// derKey is the rest of a private key in base64 without armour: PKCS #8 and PKCS #1.
const derKey = `(?:[0-9A-Za-z+/]{3}(?:IBADANBgkqhkiG9w0BAQEFAASC|IBAzCC|IBAAKC)|[0-9A-Za-z+/]{2}AgEAMBMGByqGSM49)([0-9A-Za-z+/]{40,}=*)`

// headerRules are where a secret goes on a command line or in a request.
var headerRules = []rule{
	byWords("stated-password", "credentials login", `[^\n:]{0,40}:?\s+[^\s/:]{2,40} / ([^\s]{8,})`).onlyIf(isLikelySecret),
	byPrefix("command-password", "ConvertTo-SecureString", `\s+(?:-String\s+)?["']([^"'\s]{6,})`).onlyIf(isLikelySecret),
	byPrefix("command-password", "snmp-server", `\s+community\s+([^\s]{6,})`).onlyIf(isLikelySecret),
	byOption("command-password", "-U --user", "smbclient rpcclient net", `(?:-U\s*|--user[ =])["']?[^\s%"']+%([^\s"']{6,})`).unless(isWellKnown),
	byOption("command-password", "-passin -passout", "openssl", `-pass(?:in|out) +["']?pass:([^\s"'\x60]{6,})`).unless(isWellKnown),
	byPrefix("command-password", "echo", `\s+["']?[a-z_][0-9a-z_-]*:([^\s"']{6,})["']?\s*\|\s*(?:sudo\s+)?chpasswd`).unless(isWellKnown),
	byWord("session-cookie", "cookie", `:[^\n]{0,200}?\b(?i:sess(?:ion)?[_-]?(?:id)?|sid|phpsessid|jsessionid|connect\.sid)=([0-9A-Za-z%._-]{20,})`).onlyIf(isRandom),
	byWord("named-secret", "encrypt", `["']?[ \t]*[:=][ \t]*["']([0-9A-Za-z+/]{22,43}={1,2})["']`).onlyIf(isRandom),
	byInfix("url-password", "://", lead{isSchemeChar, 2, maxLead}, `[a-zA-Z][0-9a-zA-Z+.-]+://[^\s:/?#@"'<>\\{}|\x60]*:([^\s/@"'<>\\{}|^\x60]+)@[0-9A-Za-z.:_\[\]-]+`),
	byWord("authorization-header", "bearer", `["']?[ \t:=]+["']?(?:bearer\s+)?([0-9A-Za-z_.~+/=-]{16,})`).onlyIf(isRandom),
	byWord("authorization-header", "authorization", `["']?[ \t:=]+["']?(?i:token|apikey|api-key|apitoken|sso-key|key|bot)[ \t=]+["']?([0-9A-Za-z_.~+/=:-]{16,})`).onlyIf(isRandom),
	byWord("authorization-header", "authorization", `["']?[ \t:=]+["']?(?i:splunk|geniekey)[ \t]+(`+uuid+`)`),
	byPrefix("authorization-header", "Basic basic", `[ \t]+([0-9A-Za-z+/_-]{12,}={0,2})`).onlyIf(isBasicAuth),
	byOption("command-password", "-u --user --auth --proxy-user -a", "curl curlie wget http httpie", `(?:-u\s*|--user[ =]|-a\s+|--auth[ =]|--proxy-user[ =])["']?[^\s:"'$<]+:([^\s"'\x60]{6,})`).unless(isWellKnown),
	byOption("command-password", "-p", "sshpass mysql mysqldump mariadb", `-p ?["']?([^\s"'\x60]{8,})`).onlyIf(isLikelySecret),
	byPrefix("azure-sas", "sv=1 sv=2", `[0-9.-]+&[^\s"'<>]{0,400}?sig=((?:[0-9A-Za-z+/]|%2[BbFf]){43}(?:=|%3[Dd]))`),
	byPrefix("azure-sas", "SharedAccessSignature", `[ =][^\s"'<>]{0,400}?sig=((?:[0-9A-Za-z+/]|%2[BbFf]){43}(?:=|%3[Dd]))`),
	byPrefix("wifi-password", "WIFI:", `[^\n]{0,80}?;P:([^;\n]{8,});`),
	byWord("session-cookie", "SAMLResponse", `=([0-9A-Za-z+/%=]{200,})`),
	byWord("signed-url", "signature=", `([0-9A-Za-z+/%_~-]{26,})`).onlyIf(isRandom).near("://"),
	byPrefix("command-password", "IDENTIFIED identified", `(?i:\s+(?:with\s+\S{1,40}\s+)?by\s+(?:password\s+)?)["'\x60]([^\s"'\x60]{8,})`).onlyIf(isLikelySecret),
	byWord("azure-key", "devops", `[^\n]{0,80}?\b([2-7a-z]{52})\b`).onlyIf(hasDigit),
	{name: "json-web-token", literals: []string{"eyJ"}, reach: longReach, pattern: lazyPattern(`^eyJ[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]*\.[0-9A-Za-z_-]{16}\.[0-9A-Za-z_-]+\.[0-9A-Za-z_-]{22}`)},
	{name: "json-web-token", literals: []string{"eyJ"}, reach: longReach, pattern: lazyPattern(`^eyJ[0-9A-Za-z_-]{8,}\.eyJ[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]{16,}`)},
}

// namedRule is the one rule without a form of its own, see [findNamedValue]. A literal that
// begins with another one stands before it.
var namedRule = rule{name: "named-secret", literals: strings.Fields("passe pass pwd pw psk contraseña contrasena kennwort clave senha wachtwoord hasło heslo lösenord passord adgangskode salasana jelszó şifre parola пароль Пароль 密码 口令 密碼 パスワード 비밀번호 secret token key credential _pat auth priv"), fold: true, reach: tokenReach, named: true}
