package screen_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"blue/blue/internal/screen"
)

// laterKinds are 90 kinds in three lists of 30, each written before any rule for it: what
// people write in notes, and what programs other than those of kinds_test.go take. The marks
// « and » bound what must be found whole.
var laterKinds = []kind{
	{"named-secret", "markdown table column", "| user | password |\n|---|---|\n| admin | «{p:14}» |"},
	{"named-secret", "the password is", "Ask ops for the VPN first; the password is «{p:12}» and it is the same on both hosts."},
	{"json-web-key", "JWK RSA d", "{\"kty\":\"RSA\",\"n\":\"{s:86}\",\"e\":\"AQAB\",\"d\":\"«{s:86}»\"}"},
	{"json-web-key", "JWK oct k", "{\"kty\":\"oct\",\"alg\":\"HS256\",\"k\":\"«{s:43}»\"}"},
	{"terraform-state", "Terraform state", "\"type\": \"random_password\", \"name\": \"db\", \"instances\": [{\"attributes\": {\"id\": \"none\", \"length\": 24, \"result\": \"«{p:24}»\"}}]"},
	{"private-key", "SSH2 private key", "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nComment: \"rsa-key\"\n«{b:70}\n{b:70}\n{b:40}»\n---- END SSH2 ENCRYPTED PRIVATE KEY ----"},
	{"json-web-token", "JWE compact", "the body was «eyJ{s:40}.{s:86}.{s:16}.{s:60}.{s:22}»"},
	{"recovery-phrase", "mnemonic", "wallet of the test net: «{words:12}»"},
	{"azure-key", "Azure DevOps PAT", "az devops login with «{b32l:52}» as the PAT"},
	{"named-secret", "Docker swarm", "docker swarm join --token «SWMTKN-1-{l:50}-{l:25}» 10.0.0.1:2377"},
	{"kubernetes-secret", "kubeadm", "kubeadm join 10.0.0.1:6443 --token «{l:6}.{l:16}»"},
	{"age-secret-key", "age", "the file is decrypted with «AGE-SECRET-KEY-1{A:58}»"},
	{"bitcoin-private-key", "Bitcoin WIF", "import the key «5K{b58:49}» into the node"},
	{"otp-secret", "otpauth URI", "otpauth://totp/Corp:joe?secret=«{B32:32}»&issuer=Corp"},
	{"named-secret", "Laravel APP_KEY", "APP_KEY=base64:«{b:43}=»"},
	{"command-password", "SQL identified by", "CREATE USER 'app'@'%' IDENTIFIED BY '«{p:14}»';"},
	{"command-password", "sshpass", "sshpass -p '«{p:12}»' ssh root@10.0.0.5"},
	{"discord-webhook", "Discord webhook", "post to https://discord.com/api/webhooks/{d:18}/«{s:68}»"},
	{"dynatrace-token", "Dynatrace", "curl -H \"Authorization: Api-Token «dt0c01.{B32:24}.{B32:64}»\""},
	{"nuget-key", "NuGet", "dotnet nuget push -k «oy2{b32l:43}»"},
	{"password-hash", "Cisco", "enable secret 5 «$1${a:4}${a:22}»"},
	{"private-key", "OpenVPN static key", "-----BEGIN OpenVPN Static key V1-----\n«{x:32}\n{x:32}\n{x:32}\n{x:32}»\n-----END OpenVPN Static key V1-----"},
	{"private-key", "DER key bare", "key = «MIIEvQIBADANBgkqhkiG9w0BAQEFAASC{b:200}»"},
	{"named-secret", "env name and value", "- name: DB_PASSWORD\n  value: \"«{p:16}»\""},
	{"named-secret", "FileZilla", "<Host>ftp.corp</Host><User>joe</User><Pass encoding=\"base64\">«{b:20}»</Pass>"},
	{"password-hash", "NTLM dump", "Administrator:500:«{x:32}:{x:32}»:::"},
	{"pgpass-password", "pgpass", "db.corp:5432:app:joe:«{p:16}»"},
	{"named-secret", "German password", "Das Passwort lautet «{p:13}», bitte nicht weitergeben."},
	{"tailscale-key", "Tailscale", "tailscale up --authkey «tskey-auth-{a:17}-{a:32}»"},
	{"private-key", "Solana keypair", "the keypair file: «[{bytes:64}]»"},
	// the second list
	{"named-secret", "CSV column", "name,login,password\nJoe,joe,«{p:14}»"},
	{"stated-password", "credentials with slash", "Credentials for staging: admin / «{p:14}»"},
	{"private-key", "RSAKeyValue", "<RSAKeyValue><Modulus>{b:170}</Modulus><Exponent>AQAB</Exponent><D>«{b:170}»</D></RSAKeyValue>"},
	{"named-secret", "WordPress salt", "define('AUTH_KEY', '«{p:64}»');"},
	{"command-password", "PowerShell SecureString", "$p = ConvertTo-SecureString \"«{p:14}»\" -AsPlainText -Force"},
	{"private-key", "minisign", "untrusted comment: minisign encrypted secret key\n«RWRTY0Iy{b:200}»"},
	{"bitcoin-private-key", "BIP32 xprv", "root: «xprv9s21ZrQH143K{b58:96}»"},
	{"private-key", "Nostr nsec", "export it as «nsec1{bech:58}»"},
	{"private-key", "Stellar seed", "the issuer's seed is «SB{B32:54}»"},
	{"named-secret", "ipsec PSK", "10.0.0.1 10.0.0.2 : PSK \"«{p:20}»\""},
	{"named-secret", "TSIG", "key \"update\" { algorithm hmac-sha256; secret \"«{b:43}=»\"; };"},
	{"command-password", "SNMP community", "snmp-server community «{p:12}» RW"},
	{"named-secret", "wpa_supplicant", "network={\n ssid=\"office\"\n psk=\"«{p:14}»\"\n}"},
	{"recovery-code", "BitLocker", "recovery key: «{d:6}-{d:6}-{d:6}-{d:6}-{d:6}-{d:6}-{d:6}-{d:6}»"},
	{"app-password", "Google app password", "the app password for the mailer is «{low:4} {low:4} {low:4} {low:4}»"},
	{"named-secret", "MikroTik", "/ppp secret add name=joe password=«{a:14}» service=pptp"},
	{"command-password", "smbclient", "smbclient //fs/share -U 'CORP\\joe%«{p:12}»'"},
	{"command-password", "ldapsearch", "ldapsearch -x -D \"cn=admin,dc=corp\" -w '«{p:12}»' -b dc=corp"},
	{"url-password", "Jenkins", "curl https://joe:«11{x:32}»@ci.corp/job/build"},
	{"salesforce-session", "Salesforce session", "sid «00D{a:12}!AQ{a:90}»"},
	{"url-password", "Cloudinary", "CLOUDINARY_URL=cloudinary://{d:15}:«{s:27}»@corp"},
	{"named-secret", "SCRAM verifier", "rolpassword | «SCRAM-SHA-256$4096:{b:22}==${b:43}=:{b:43}=»"},
	{"private-key", "Ansible vault", "db: !vault |\n  $ANSIBLE_VAULT;1.1;AES256\n  «{x:80}\n  {x:80}\n  {x:40}»"},
	{"named-secret", "unattend.xml", "<AutoLogon><Password><Value>«{p:12}»</Value><PlainText>true</PlainText></Password></AutoLogon>"},
	{"recovery-code", "recovery codes", "Recovery codes:\n«{x:5}-{x:5}»\n{x:5}-{x:5}\n{x:5}-{x:5}\n{x:5}-{x:5}"},
	{"asana-token", "Asana", "asana: use «1/{d:16}:{x:32}»"},
	{"password-hash", "Juniper secret", "set system radius-server 10.0.0.1 secret \"«$9${a:24}»\""},
	{"zapier-webhook", "Zapier hook", "post to https://hooks.zapier.com/hooks/catch/{d:7}/«{l:7}»/ when done"},
	{"password-hash", "Kerberos ticket", "$krb5tgs$23$*joe$CORP.LOCAL$http/web*$«{x:32}${x:400}»"},
	{"password-hash", "phpass", "admin:«$P$B{a:30}»"},
	// the third list
	{"named-secret", "Group Policy cpassword", "<Properties action=\"U\" userName=\"joe\" cpassword=\"«{b:43}»\"/>"},
	{"named-secret", "RDP file", "username:s:joe\npassword 51:b:«{X:120}»"},
	{"password-hash", "MySQL native hash", "root@localhost «*{X:40}»"},
	{"named-secret", "PostgreSQL md5 hash", "ALTER ROLE app PASSWORD '«md5{x:32}»'"},
	{"password-hash", "DCC2 hash", "«$DCC2$10240#joe#{x:32}»"},
	{"password-hash", "Werkzeug hash", "«scrypt:32768:8:1${a:16}${x:128}»"},
	{"named-secret", "AWS presigned session", "https://b.s3.amazonaws.com/k?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Security-Token=«{a:300}»&X-Amz-Signature={x:64}"},
	{"session-cookie", "session cookie", "Cookie: theme=dark; sessionid=«{l:32}»"},
	{"named-secret", "ngrok", "ngrok config add-authtoken «2{a:26}_{a:21}»"},
	{"cloudflare-token", "Cloudflare tunnel", "cloudflared service install «eyJhIjoi{s:180}»"},
	{"private-key", "OpenSSH key bare", "key: «b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAAB{b:200}»"},
	{"private-key", "PKCS12 bare", "keystore in base64: «MIIKCQIBAzCCCc8GCSqGSIb3DQEHAaCCCcAEgg{b:300}»"},
	{"private-key", "signify", "untrusted comment: signify secret key\n«RWRCSwAAACq{b:120}»"},
	{"private-key", "Tor onion key", "ADD_ONION «ED25519-V3:{b:86}==» Port=80"},
	{"named-secret", "Ethereum private key", "deployer 0x{x:40} has the private key «0x{x:64}»"},
	{"private-key", "Cardano key", "«ed25519e_sk1{bech:103}»"},
	{"named-secret", "browser export", "url,username,password,note\nhttps://git.corp,joe,«{p:15}»,work"},
	{"recovery-code", "Matrix recovery key", "the recovery key of the bot: «Es{b58:2} {b58:4} {b58:4} {b58:4} {b58:4} {b58:4} {b58:4} {b58:4} {b58:4} {b58:4} {b58:4} {b58:4}»"},
	{"app-password", "Apple app-specific", "the app-specific password is «{low:4}-{low:4}-{low:4}-{low:4}»"},
	{"recovery-code", "FileVault", "FileVault recovery key: «{A:4}-{A:4}-{A:4}-{A:4}-{A:4}-{A:4}»"},
	{"private-key", "Ceph keyring", "[client.admin]\n\\tkey = «AQ{b:36}==»"},
	{"named-secret", "Consul gossip", "encrypt = \"«{b:43}=»\""},
	{"named-secret", "Jupyter", "open http://lab.corp:8888/lab?token=«{x:48}»"},
	{"app-password", "WordPress app password", "joe's application password: «{a:4} {a:4} {a:4} {a:4} {a:4} {a:4}»"},
	{"authorization-header", "Splunk HEC", "curl -H \"Authorization: Splunk «{x:8}-{x:4}-4{x:3}-a{x:3}-{x:12}»\" https://splunk.corp:8088"},
	{"command-password", "openssl pass", "openssl pkcs12 -in a.p12 -nodes -passin pass:«{p:12}»"},
	{"named-secret", "keytool", "keytool -list -keystore a.jks -storepass '«{p:12}»'"},
	{"named-secret", "gpg passphrase", "gpg --batch --passphrase '«{p:14}»' -d a.gpg"},
	{"command-password", "zip", "zip -er -P '«{p:12}»' a.zip a"},
	{"command-password", "chpasswd", "echo 'root:«{p:12}»' | chpasswd"},
}

// moreKinds say a password in other words.
var moreKinds = []kind{
	{"named-secret", "French", "Le mot de passe est «{p:13}»"},
	{"named-secret", "Spanish", "contraseña: «{p:13}»"},
	{"named-secret", "a chat", "pw for the printer: «{p:12}»"},
}

// generalKinds are found by no rule of their own: a word that says secret, in any syntax and
// many languages, and a value that looks random or is made like a password.
var generalKinds = []kind{
	{"random-secret", "key in a sentence", "vault operator init on the new cluster, my shard:\n\nUnseal Key 3: «{a:44}»\nKey Threshold: 3 of 5"},
	{"random-secret", "table of a program", "KeyName    Permissions    Value\n---------  -------------  -----\nkey1       FULL           «{b:86}==»"},
	{"random-secret", "column priv", "| device | ip | pub | priv |\n|---|---|---|---|\n| phone | 10.66.0.31 | {b:43}= | «{b:43}=» |"},
	{"random-secret", "keytab", "Keytab for the intranet, from ktpass:\n\nbase64 -d > http.keytab <<< '«BQIAAABS{b:120}»'"},
	{"random-secret", "hexadecimal key", "accounts: [\"«0x{x:64}»\"] },"},
	{"random-secret", "shown at a terminal", "kubectl get secret admin | base64 -d\n«{a:24}»"},
	{"random-secret", "user and password", "- local Admin: hvadmin / «{a:5}+{A:2}{d:2}{low:1}{A:1}»"},
	{"random-secret", "argument of an option", "snmpwalk -v3 -u nms -a SHA -A «{a:18}0z» 10.9.0.30"},
	{"named-secret", "password of words", "jdbc:postgresql://dwh:5432/dwh?user=ro&password=«{human}»&sslmode=require"},
	{"named-secret", "password in markup", "<add key=\"ClearTextPassword\" value=\"«{human}»\" />"},
	{"named-secret", "variable in capitals", "SSHPASS=«{human}» sshpass -e scp a b"},
	{"named-secret", "French", "identifiant compta, mot de passe «{human}» (en mars)"},
	{"named-secret", "Spanish", "La clave del grabador es «{human}» y la otra la tiene Marta."},
	{"named-secret", "Dutch", "Het wachtwoord van de boekhouding is «{human}»"},
	{"named-secret", "Polish", "hasło do panelu: «{human}»"},
	{"named-secret", "Russian", "пароль от сервера: «{human}»"},
	{"named-secret", "Chinese", "数据库密码：«{human}»，请勿外传"},
	{"named-secret", "Japanese", "管理画面のパスワードは «{human}» です"},
	{"named-secret", "Terraform variable", "variable \"db_pw\" {\n  type    = string\n  default = \"«{human}»\"\n}"},
	{"recovery-code", "licence", "product key «{A:4}7-{A:3}8B-{A:4}6-{A:4}9-2{A:3}4»"},
	{"recovery-phrase", "recovery phrase", "SLIP-39 share, keep apart!\n\n«{words:20}»"},
	{"private-key", "armour with a label of its own", "-----BEGIN OpenVPN tls-crypt-v2 server key-----\n«{b:64}\n{b:44}»\n-----END OpenVPN tls-crypt-v2 server key-----"},
}

// otherKinds are generic tokens, and rules that no list above has.
var otherKinds = []kind{
	{"vendor-token", "generic", "e2b_«{x:40}»"},
	{"vendor-token", "generic", "acme_live_«{a:32}»"},
	{"wifi-password", "Wi-Fi in a QR code", "WIFI:T:WPA;S:guests;P:«{p:12}»;;"},
	{"signed-url", "CloudFront", "https://d1.cloudfront.net/a.mp4?Expires=1798675200&Signature=«{s:300}»&Key-Pair-Id=K1"},
	{"blue-token", "blue server token add", "blue_{s:48}"},
	{"random-secret", "no name beside it", "of what the vendor sent us, the private one comes first: «{b:44}»"},
}

// unmarked takes the marks out of a sample.
func unmarked(text string) string { return strings.NewReplacer("«", "", "»", "").Replace(text) }

// plain is what stands around a sample and says nothing of it.
var plain = []string{"%s", "# Deploy\n\n%s\n\nSee above.", "Written on Monday:\n\n%s\n"}

// Of the kinds that were written before their rules, 95 % are found whole, each in 24
// of 25 samples at least.
func TestKindsAreFoundWhole(t *testing.T) {
	whole := 0
	for n, k := range slices.Concat(laterKinds, moreKinds, generalKinds) {
		c, found := seeded(uint64(2400+n)), 0
		for i := range 25 {
			if isFoundWhole(fmt.Sprintf(plain[i%3], made(c, k.text))) {
				found++
			}
		}
		if found < 24 {
			t.Logf("%s: %d of 25 samples are found whole", k.source, found)
			continue
		}
		whole++
	}
	all := len(laterKinds) + len(moreKinds) + len(generalKinds)
	t.Logf("%d of %d kinds", whole, all)
	if len(laterKinds) < 90 || whole*100 < all*95 {
		t.Errorf("%d of %d kinds are found whole", whole, all)
	}
}

// What documentation says of such secrets is none.
func TestDocumentationPasses(t *testing.T) {
	for _, text := range []string{
		"The password is required, the password is stored as bcrypt2 hash, and the password is at least 12 characters long.",
		"| user | password | note |\n|---|---|---|\n| admin | see the vault | since 2024-01-01 |\n| ci | rotated in v1.2.3 | |",
		"| option | password | default |\n|---|---|---|\n| --user | `$DB_PASSWORD` | none |",
		"name,password,role\njoe,changeme,admin\nann,<password>,dev\n",
		"The seed phrase has twelve words, which the wallet shows once and never again, so write them down before you close that window.",
		"The recovery key is kept in the safe; recovery codes: 10 of them, each used once.",
		"CREATE USER app IDENTIFIED BY 'password1'; ALTER USER app IDENTIFIED BY '${APP_PASSWORD}';",
		"Cookie: theme=dark; sessionid=<id>; a session cookie is sent with each request.",
		"Use an app password: this must have been made before, as in `app password is here they said`?",
		"login: see docs / onboarding-2024 and credentials are in the vault / team-shop.",
		`{"type": "random_pet", "result": "clever-otter"} {"d": "M10 20 L30 40", "k": "v"}`,
		"-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJ\n-----END CERTIFICATE-----",
		"$ANSIBLE_VAULT;1.1;AES256 begins a file, ConvertTo-SecureString takes -AsPlainText, snmp-server community public RO",
		"feature_key_d41d8cd98f00b204e9800998ecf8427e and snapshot_prod_20260101_1200_of_the_database",
		"otpauth://totp/Example:alice?secret=<secret>&issuer=Example and -storepass <password> or --passphrase $PASS",
		"The key fingerprint is SHA256:" + seeded(3).of(base64, 43) + " and the public key " + seeded(4).of(base64, 43) + "=, not the secret one.",
		"| token | commit | key |\n|---|---|---|\n| rotated | " + seeded(5).of(hex, 40) + " | see the vault |",
		"Fixed in GHSA-jq35-85cj-fj4p: the password of keys with HS256 HS384 HS512 ES256 was logged, e.g. wcBMA37rwGt6FS1VAQgAk1q8XQh6yc...",
		"The seed of these generators comes first, then many other words follow with more small words, just like this one here.",
		"echo 'root:password' | chpasswd, ldapsearch -w secret, smbclient -U 'joe%password'",
	} {
		if found := screen.Secrets(text); len(found) > 0 {
			t.Errorf("%v in %q", found, text)
		}
	}
}

// isFoundWhole reports whether one finding covers all that stands between the marks.
func isFoundWhole(marked string) bool {
	before, rest, _ := strings.Cut(marked, "«")
	secret, after, _ := strings.Cut(rest, "»")
	first := 1 + strings.Count(before, "\n")
	last := first + strings.Count(secret, "\n")
	for _, f := range screen.Secrets(before + secret + after) {
		if f.Line <= first && f.Last >= last {
			return true
		}
	}
	return false
}
