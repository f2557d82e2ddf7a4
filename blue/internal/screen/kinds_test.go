package screen_test

import (
	b64 "encoding/base64"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"blue/blue/internal/screen"
)

// kind is one kind of credential as it is met: the rule that refuses it, whose
// documentation shows its form, and a template of it. In a template {class:n} and
// {class:n-m} stand for random characters, {words} such as {basic} for what made
// says. No line of this file holds what a scanner would take for a secret.
type kind struct{ rule, source, text string }

const scanning = "GitHub Docs, supported secret scanning patterns"

var kinds = []kind{
	// keys, hashes and the files of programs
	{"private-key", "RFC 7468 and RFC 5958 (PKCS #8)", "{pem PRIVATE KEY}"},
	{"private-key", "RFC 8017 (PKCS #1)", "{pem RSA PRIVATE KEY}"},
	{"private-key", "OpenSSH, PROTOCOL.key", "{pem OPENSSH PRIVATE KEY}"},
	{"private-key", "RFC 9580 (OpenPGP)", "{pem PGP PRIVATE KEY BLOCK}"},
	{"private-key", "PuTTY manual, appendix C: PPK file format", "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: me\nPublic-Lines: 1\nAAAAC3NzaC1lZDI1NTE5\nPrivate-Lines: 1\n{b:43}="},
	{"named-secret", "WireGuard, wg(8)", "[Interface]\nPrivateKey = {b:43}=\nAddress = 10.0.0.2/32"},
	{"age-secret-key", "age, C2SP age specification", "AGE-SECRET-KEY-1{b32:58}"},
	{"bitcoin-private-key", "BIP 32, extended private keys", "xprv{b58:107}"},
	{"password-hash", "Apache httpd, Password Formats", "mira:$apr1${a:8}${a:22}"},
	{"password-hash", "Apache httpd, Password Formats (bcrypt)", "mira:$2y$10${a:53}"},
	{"password-hash", "crypt(5), sha512crypt", "root:$6${a:16}${a:86}:19000:0:99999:7:::"},
	{"password-hash", "crypt(5), yescrypt", "root:$y$j9T${a:22}${a:43}:19000:0:99999:7:::"},
	{"password-hash", "RFC 9106, PHC string format", "$argon2id$v=19$m=65536,t=3,p=4${a:22}${a:43}"},
	{"password-hash", "Django, Password management", "pbkdf2_sha256$870000${a:22}${b:43}="},
	{"password-hash", "RFC 2307, userPassword", "{SSHA}{b:37}="},
	{"kubernetes-secret", "Kubernetes, Secrets", "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ndata:\n  dsn: {packed:18}\n"},
	{"kubernetes-secret", "kubectl get secret -o yaml", "apiVersion: v1\ndata:\n  dsn: {packed:18}\nkind: Secret\n"},
	{"pgpass-password", "PostgreSQL, The Password File", "db.internal:5432:shop:app:{pw}"},
	{"named-secret", "GNU Inetutils, .netrc", "machine git.internal login ci password {pw}"},
	{"named-secret", "Docker, docker login", `{"auths": {"registry.internal": {"auth": "{basic}"}}}`},
	{"django-secret-key", "Django, settings: SECRET_KEY", "SECRET_KEY = 'django-insecure-{dj:50}'"},
	{"named-secret", "Django, settings: SECRET_KEY", "SECRET_KEY = '{dj:50}'"},
	// clouds
	{"aws-access-key-id", "AWS IAM User Guide, IAM identifiers", "AKIA{B32:16}"},
	{"named-secret", "AWS CLI, configuration and credential file settings", "aws_secret_access_key = {b:40}"},
	{"aws-session-token", "AWS STS, GetSessionToken", "IQoJb3JpZ2luX2Vj{b:300}=="},
	{"aws-bedrock-key", "Amazon Bedrock, API keys", "ABSK{b:128}="},
	{"google-api-key", "Google Cloud, API keys", "AIza{s:35}"},
	{"google-api-key", "Google Cloud, Vertex AI API keys", "AQ.Ab8RN6{s:40}"},
	{"google-oauth-secret", "Google Identity, OAuth 2.0", "GOCSPX-{s:28}"},
	{"google-oauth-token", "Google Identity, OAuth 2.0", "ya29.a0{s:150}"},
	{"google-refresh-token", "Google Identity, OAuth 2.0", "1//0g{s:60}"},
	{"google-service-account", "Google Cloud, service account keys", `{"type": "service_account", "private_key_id": "{x:40}"}`},
	{"azure-client-secret", "Microsoft Entra, client secrets; " + scanning, "{s:3}8Q~{s:34}"},
	{"named-secret", "Azure Storage, connection strings", "DefaultEndpointsProtocol=https;AccountName=shop;AccountKey={b:86}==;EndpointSuffix=core.windows.net"},
	{"azure-sas", "Azure Storage, service SAS", "https://shop.blob.core.windows.net/c?sv=2022-11-02&se=2026-01-01T00%3A00%3A00Z&sp=r&sig={a:43}%3D"},
	{"azure-key", "Azure DevOps, personal access tokens; " + scanning, "{a:52}JQQJ99{a:26}"},
	{"digitalocean-token", "DigitalOcean API, tokens", "dop_v1_{x:64}"},
	{"named-secret", "Cloudflare API, tokens", "CLOUDFLARE_API_TOKEN={s:40}"},
	{"cloudflare-token", "Cloudflare, Origin CA keys", "v1.0-{x:24}-{x:146}"},
	{"vercel-token", "Vercel, access tokens; " + scanning, "vcp_{a:56}"},
	{"named-secret", "Vercel, access tokens (before 2025)", "VERCEL_TOKEN={a:24}"},
	{"netlify-token", "Netlify, access tokens", "nfp_{a:36}"},
	{"fly-token", "Fly.io, access tokens", "FlyV1 fm2_{b:200}="},
	{"heroku-key", "Heroku, OAuth", "HRKU-AA{s:58}"},
	{"named-secret", "Heroku, OAuth (before 2024)", "HEROKU_API_KEY={uuid}"},
	{"render-key", "Render, API keys", "rnd_{a:28}"},
	{"supabase-key", "Supabase, access tokens", "sbp_{x:40}"},
	{"supabase-key", "Supabase, API keys", "sb_secret_{s:31}"},
	{"planetscale-token", "PlanetScale, service tokens; " + scanning, "pscale_tkn_{s:43}"},
	{"planetscale-token", "PlanetScale, passwords; " + scanning, "pscale_pw_{s:43}"},
	{"neon-key", "Neon, API keys", "napi_{l:64}"},
	{"cockroach-key", "CockroachDB Cloud, service accounts", "CCDB1_{a:22}_{a:40}"},
	{"databricks-token", "Databricks, personal access tokens", "dapi{x:32}"},
	{"vault-token", "HashiCorp Vault, tokens", "hvs.{s:90}"},
	{"terraform-token", "HCP Terraform, API tokens", "{a:14}.atlasv1.{a:67}"},
	{"pulumi-token", "Pulumi Cloud, access tokens", "pul-{x:40}"},
	{"doppler-token", "Doppler, token formats", "dp.pt.{a:43}"},
	{"tailscale-key", "Tailscale, auth keys", "tskey-auth-{a:12}CNTRL-{a:32}"},
	{"1password-token", "1Password, service accounts", "ops_eyJ{s:250}"},
	{"1password-secret-key", "1Password, Secret Key", "A3-{A:6}-{A:6}-{A:5}-{A:5}-{A:5}-{A:5}"},
	{"alibaba-access-key-id", "Alibaba Cloud, AccessKey pairs", "LTAI5t{a:18}"},
	{"openshift-token", "OpenShift, OAuth access tokens", "sha256~{s:43}"},
	{"yandex-key", "Yandex Cloud, API keys", "AQVN{s:36}"},
	{"named-secret", "Linode API, personal access tokens", "LINODE_TOKEN={x:64}"},
	{"named-secret", "Hetzner Cloud API, tokens", "export HCLOUD_TOKEN={a:64}"},
	{"named-secret", "Alibaba Cloud, AccessKey pairs", "ALIBABA_CLOUD_ACCESS_KEY_SECRET={a:30}"},
	// forges, registries, builds and what watches them
	{"github-token", "GitHub Docs, token formats", "ghp_{a:36}"},
	{"github-token", "GitHub Docs, token formats (fine-grained)", "github_pat_{a:22}_{a:59}"},
	{"gitlab-token", "GitLab Docs, token prefixes", "glpat-{s:20}"},
	{"atlassian-token", "Atlassian, API tokens; " + scanning, "ATATT3{s:180}={X:8}"},
	{"atlassian-token", "Bitbucket, app passwords; " + scanning, "ATBB{a:32}"},
	{"npm-token", "npm Docs, access tokens", "npm_{a:36}"},
	{"pypi-token", "PyPI, API tokens", "pypi-AgEIcHlwaS5vcmc{s:140}"},
	{"rubygems-key", "RubyGems, API keys", "rubygems_{x:48}"},
	{"crates-io-token", "crates.io, API tokens", "cio{a:32}"},
	{"nuget-key", "NuGet, API keys; " + scanning, "oy2{l:43}"},
	{"clojars-token", "Clojars, deploy tokens", "CLOJARS_{l:60}"},
	{"dockerhub-token", "Docker Hub, personal access tokens", "dckr_pat_{s:27}"},
	{"artifactory-key", "JFrog, API keys", "AKCp{a:69}"},
	{"artifactory-key", "JFrog, reference tokens", "cmVmdGtu{a:56}"},
	{"circleci-token", "CircleCI, personal API tokens; " + scanning, "CCIPAT_{a:22}_{x:40}"},
	{"buildkite-token", "Buildkite, API access tokens", "bkua_{x:40}"},
	{"sonar-token", "SonarQube, tokens", "sqp_{x:40}"},
	{"sourcegraph-token", "Sourcegraph, access tokens", "sgp_{x:16}_{x:40}"},
	{"snyk-token", "Snyk, personal access tokens", "snyk_uat.{x:8}.{s:60}"},
	{"postman-key", "Postman, API keys", "PMAK-{x:24}-{x:34}"},
	{"jetbrains-token", "JetBrains Hub, permanent tokens", "perm:{a:16}=.{a:12}==.{a:40}"},
	{"new-relic-key", "New Relic, API keys (user)", "NRAK-{A:27}"},
	{"new-relic-key", "New Relic, API keys (license)", "{x:36}NRAL"},
	{"named-secret", "Datadog, API keys", "DD_API_KEY={x:32}"},
	{"named-secret", "Datadog, application keys", "DATADOG_APP_KEY={x:40}"},
	{"grafana-token", "Grafana, service account tokens", "glsa_{a:32}_{x:8}"},
	{"grafana-token", "Grafana Cloud, access policy tokens", "glc_eyJ{b:120}="},
	{"sentry-token", "Sentry, organization tokens", "sntrys_eyJ{b:100}=_{b:43}"},
	{"sentry-token", "Sentry, user tokens", "sntryu_{x:64}"},
	{"dynatrace-token", "Dynatrace API, tokens", "dt0c01.{A:24}.{A:64}"},
	{"honeycomb-key", "Honeycomb, API keys", "hcaik_{l:58}"},
	{"prefect-key", "Prefect Cloud, API keys", "pnu_{a:36}"},
	{"infracost-key", "Infracost, API keys; " + scanning, "ico-{a:32}"},
	{"launchdarkly-key", "LaunchDarkly, SDK keys", "sdk-{uuid}"},
	// language models
	{"openai-key", "OpenAI API, authentication", "sk-proj-{s:74}T3BlbkFJ{s:74}"},
	{"openai-key", "OpenAI API, authentication (before 2024)", "sk-{a:20}T3BlbkFJ{a:20}"},
	{"anthropic-key", "Anthropic API, getting started", "sk-ant-api03-{s:93}AA"},
	{"openrouter-key", "OpenRouter, authentication", "sk-or-v1-{x:64}"},
	{"deepseek-key", "DeepSeek API, first call", "sk-{x:32}"},
	{"langfuse-key", "Langfuse, API keys", "sk-lf-{uuid}"},
	{"groq-key", "Groq API, quickstart", "gsk_{a:52}"},
	{"xai-key", "xAI API, quickstart", "xai-{a:80}"},
	{"perplexity-key", "Perplexity API, API keys", "pplx-{a:48}"},
	{"huggingface-token", "Hugging Face, user access tokens", "hf_{L:34}"},
	{"replicate-token", "Replicate, API tokens", "r8_{a:37}"},
	{"named-secret", "Mistral AI, API keys", "MISTRAL_API_KEY={a:32}"},
	{"named-secret", "Cohere, API keys", `co = cohere.Client(api_key="{a:40}")`},
	{"named-secret", "Together AI, authentication", "TOGETHER_API_KEY={x:64}"},
	{"together-key", "Together AI, authentication", "tgp_v1_{s:43}"},
	{"cerebras-key", "Cerebras Inference, quickstart", "csk-{l:48}"},
	{"fireworks-key", "Fireworks AI, API keys", "fw_{a:24}"},
	{"nvidia-key", "NVIDIA NIM, API keys", "nvapi-{s:64}"},
	{"elevenlabs-key", "ElevenLabs API, authentication", "sk_{x:48}"},
	{"jina-key", "Jina AI, API", "jina_{s:60}"},
	{"tavily-key", "Tavily API, authentication", "tvly-dev-{a:32}"},
	{"firecrawl-key", "Firecrawl API, authentication", "fc-{x:32}"},
	{"langsmith-key", "LangSmith, API keys", "lsv2_pt_{x:32}_{x:10}"},
	{"pinecone-key", "Pinecone, API keys", "pcsk_{a:6}_{a:63}"},
	{"apify-token", "Apify API, authentication", "apify_api_{a:36}"},
	// services
	{"slack-token", "Slack API, token types", "xoxb-{d:12}-{d:12}-{a:24}"},
	{"slack-token", "Slack API, app-level tokens", "xapp-1-A{A:10}-{d:13}-{x:64}"},
	{"slack-webhook", "Slack API, incoming webhooks", "https://hooks.slack.com/services/T{A:9}/B{A:9}/{a:24}"},
	{"slack-webhook", "Slack, workflow webhooks", "https://hooks.slack.com/workflows/{a:40}"},
	{"discord-webhook", "Discord API, webhooks", "https://discord.com/api/webhooks/{d:18}/{s:68}"},
	{"discord-bot-token", "Discord API, authentication", "MT{a:20}{d:4}.{s:6}.{s:38}"},
	{"teams-webhook", "Microsoft Teams, incoming webhooks", "https://contoso.webhook.office.com/webhookb2/{uuid}@{uuid}/IncomingWebhook/{x:32}/{uuid}"},
	{"telegram-bot-token", "Telegram, Bot API", "1{d:9}:AA{s:33}"},
	{"matrix-token", "Synapse, access tokens", "syt_{a:8}_{L:20}_{a:6}"},
	{"stripe-live-key", "Stripe API, keys", "sk_live_{a:99}"},
	{"stripe-test-key", "Stripe API, keys", "sk_test_{a:24}"},
	{"stripe-webhook-secret", "Stripe, webhook signatures", "whsec_{a:32}"},
	{"square-token", "Square, access tokens", "EAAA{s:60}"},
	{"square-token", "Square, application secrets", "sq0csp-{s:43}"},
	{"facebook-token", "Meta, access tokens", "EAAB{a:160}"},
	{"braintree-token", "Braintree, access tokens", "access_token$production${l:16}${x:32}"},
	{"flutterwave-key", "Flutterwave, authentication", "FLWSECK-{x:32}-X"},
	{"easypost-key", "EasyPost API, authentication", "EZAK{a:54}"},
	{"shippo-token", "Shippo API, authentication", "shippo_live_{x:40}"},
	{"shopify-token", "Shopify, access tokens", "shpat_{x:32}"},
	{"sendgrid-key", "SendGrid API, authentication", "SG.{s:22}.{s:43}"},
	{"mailgun-key", "Mailgun API, authentication", "mailgun.key=key-{x:32}"},
	{"mailchimp-key", "Mailchimp, API keys", "{x:32}-us14"},
	{"brevo-key", "Brevo API, authentication", "xkeysib-{x:64}-{a:16}"},
	{"resend-key", "Resend, API keys", "re_{a:8}_{a:24}"},
	{"mailersend-token", "MailerSend API, authentication", "mlsn.{x:64}"},
	{"twilio-key", "Twilio, auth token", "client = twilio.Client(sid, '{x:32}')"},
	{"twitter-bearer-token", "X API, bearer tokens", "AAAAAAAAAAAAAAAAAAAAA{a:80}"},
	{"linear-key", "Linear API, authentication", "lin_api_{a:40}"},
	{"notion-token", "Notion API, authentication", "ntn_{a:46}"},
	{"notion-token", "Notion API, authentication (before 2024)", "secret_{a:43}"},
	{"airtable-token", "Airtable, personal access tokens", "pat{a:14}.{x:64}"},
	{"figma-token", "Figma REST API, authentication", "figd_{s:40}"},
	{"hubspot-token", "HubSpot, private apps", "pat-na1-{uuid}"},
	{"contentful-token", "Contentful, personal access tokens", "CFPAT-{s:43}"},
	{"typeform-token", "Typeform, personal access tokens", "tfp_{s:59}"},
	{"clickup-token", "ClickUp API, authentication", "pk_{d:8}_{A:32}"},
	{"trello-token", "Trello REST API, authorization", "ATTA{x:72}"},
	{"dropbox-token", "Dropbox, OAuth guide", "sl.u.{s:180}"},
	{"intercom-token", "Intercom, access tokens", "dG9rO{a:60}="},
	{"mapbox-token", "Mapbox, access tokens", "sk.eyJ{s:60}.{s:22}"},
	{"okta-token", "Okta, API tokens", "Authorization: SSWS 00{s:40}"},
	{"readme-key", "ReadMe API, authentication", "rdme_{l:70}"},
	// requests, command lines and configuration
	{"json-web-token", "RFC 7519", "eyJhbGciOiJSUzI1NiJ9.eyJ{s:120}.{s:86}"},
	{"authorization-header", "RFC 6750, Bearer", "Authorization: Bearer {s:40}"},
	{"authorization-header", "RFC 7617, Basic", "Authorization: Basic {basic}"},
	{"authorization-header", "GitHub REST API, Authorization: token", `curl -H "Authorization: token {x:40}" https://git.internal`},
	{"command-password", "curl, manual: --user", "curl -sS -u ci:{pw} https://git.internal/api"},
	{"command-password", "sshpass(1)", "sshpass -p {pw} ssh root@db.internal"},
	{"command-password", "Docker, docker login", "docker login -u ci -p {pw} registry.internal"},
	{"url-password", "PostgreSQL, connection URIs", "postgres://app:{a:16}@db.internal:5432/shop"},
	{"url-password", "git-credential-store(1)", "https://mira:{a:24}@git.internal"},
	{"named-secret", "JDBC, PostgreSQL driver", "jdbc:postgresql://db.internal/shop?user=app&password={a:16}"},
	{"named-secret", "ADO.NET, connection strings", "Server=db.internal;Database=shop;User Id=app;Password={pw};Encrypt=True"},
	{"named-secret", "PostgreSQL libpq, connection strings", "host=db.internal dbname=shop user=app password={pw}"},
	{"named-secret", "Docker Compose, environment files", "DB_PASSWORD={pw}"},
	{"named-secret", "Spring Boot, application.yaml", "datasource:\n  password: {pw}"},
	{"named-secret", "Rails, credentials and secrets", `secret_key_base: "{x:128}"`},
	{"named-secret", "Maven, settings.xml", "<server><id>nexus</id><password>{pw}</password></server>"},
	{"named-secret", "Kubernetes, environment of a container", "- name: DB_PASSWORD\n  value: {pw}"},
	{"named-secret", "npm, .npmrc", "//registry.internal/:_authToken={uuid}"},
	{"named-secret", "Terraform, variables", `db_password = "{pw}"`},
	{"named-secret", "Auth0, application credentials", `{"clientSecret": "{s:64}"}`},
	{"named-secret", "prose", "The admin password is {x:24}, valid for a day."},
	{"named-secret", "RFC 6238, shared secrets", "TOTP secret: {B32:52}"},
	// what people write in notes, and what other programs take
	{"named-secret", "the password is", "Ask ops for the VPN first; the password is {p:12} and it is the same on both hosts."},
	{"json-web-key", "JWK RSA d", "{\"kty\":\"RSA\",\"n\":\"{s:86}\",\"e\":\"AQAB\",\"d\":\"{s:86}\"}"},
	{"json-web-key", "JWK oct k", "{\"kty\":\"oct\",\"alg\":\"HS256\",\"k\":\"{s:43}\"}"},
	{"terraform-state", "Terraform state", "\"type\": \"random_password\", \"name\": \"db\", \"instances\": [{\"attributes\": {\"id\": \"none\", \"length\": 24, \"result\": \"{p:24}\"}}]"},
	{"private-key", "SSH2 private key", "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nComment: \"rsa-key\"\n{b:70}\n{b:70}\n{b:40}\n---- END SSH2 ENCRYPTED PRIVATE KEY ----"},
	{"json-web-token", "JWE compact", "the body was eyJ{s:40}.{s:86}.{s:16}.{s:60}.{s:22}"},
	{"azure-key", "Azure DevOps PAT", "az devops login with {b32l:52} as the PAT"},
	{"named-secret", "Docker swarm", "docker swarm join --token SWMTKN-1-{l:50}-{l:25} 10.0.0.1:2377"},
	{"kubernetes-secret", "kubeadm", "kubeadm join 10.0.0.1:6443 --token {l:6}.{l:16}"},
	{"age-secret-key", "age", "the file is decrypted with AGE-SECRET-KEY-1{A:58}"},
	{"bitcoin-private-key", "Bitcoin WIF", "import the key 5K{b58:49} into the node"},
	{"otp-secret", "otpauth URI", "otpauth://totp/Corp:joe?secret={B32:32}&issuer=Corp"},
	{"named-secret", "Laravel APP_KEY", "APP_KEY=base64:{b:43}="},
	{"command-password", "SQL identified by", "CREATE USER 'app'@'%' IDENTIFIED BY '{p:14}';"},
	{"command-password", "sshpass", "sshpass -p '{p:12}' ssh root@10.0.0.5"},
	{"discord-webhook", "Discord webhook", "post to https://discord.com/api/webhooks/{d:18}/{s:68}"},
	{"dynatrace-token", "Dynatrace", "curl -H \"Authorization: Api-Token dt0c01.{B32:24}.{B32:64}\""},
	{"nuget-key", "NuGet", "dotnet nuget push -k oy2{b32l:43}"},
	{"password-hash", "Cisco", "enable secret 5 $1${a:4}${a:22}"},
	{"private-key", "OpenVPN static key", "-----BEGIN OpenVPN Static key V1-----\n{x:32}\n{x:32}\n{x:32}\n{x:32}\n-----END OpenVPN Static key V1-----"},
	{"private-key", "DER key bare", "key = MIIEvQIBADANBgkqhkiG9w0BAQEFAASC{b:200}"},
	{"named-secret", "env name and value", "- name: DB_PASSWORD\n  value: \"{p:16}\""},
	{"named-secret", "FileZilla", "<Host>ftp.corp</Host><User>joe</User><Pass encoding=\"base64\">{b:20}</Pass>"},
	{"password-hash", "NTLM dump", "Administrator:500:{x:32}:{x:32}:::"},
	{"pgpass-password", "pgpass", "db.corp:5432:app:joe:{p:16}"},
	{"named-secret", "German password", "Das Passwort lautet {p:13}, bitte nicht weitergeben."},
	{"tailscale-key", "Tailscale", "tailscale up --authkey tskey-auth-{a:17}-{a:32}"},
	{"private-key", "Solana keypair", "the keypair file: [{bytes:64}]"},
	{"stated-password", "credentials with slash", "Credentials for staging: admin / {p:14}"},
	{"private-key", "RSAKeyValue", "<RSAKeyValue><Modulus>{b:170}</Modulus><Exponent>AQAB</Exponent><D>{b:170}</D></RSAKeyValue>"},
	{"named-secret", "WordPress salt", "define('AUTH_KEY', '{p:64}');"},
	{"command-password", "PowerShell SecureString", "$p = ConvertTo-SecureString \"{p:14}\" -AsPlainText -Force"},
	{"private-key", "minisign", "untrusted comment: minisign encrypted secret key\nRWRTY0Iy{b:200}"},
	{"bitcoin-private-key", "BIP32 xprv", "root: xprv9s21ZrQH143K{b58:95}"},
	{"private-key", "Nostr nsec", "export it as nsec1{bech:58}"},
	{"private-key", "Stellar seed", "the issuer's seed is SB{B32:54}"},
	{"named-secret", "ipsec PSK", "10.0.0.1 10.0.0.2 : PSK \"{p:20}\""},
	{"named-secret", "TSIG", "key \"update\" { algorithm hmac-sha256; secret \"{b:43}=\"; };"},
	{"command-password", "SNMP community", "snmp-server community {p:12} RW"},
	{"named-secret", "wpa_supplicant", "network={\n ssid=\"office\"\n psk=\"{p:14}\"\n}"},
	{"recovery-code", "BitLocker", "recovery key: {d:6}-{d:6}-{d:6}-{d:6}-{d:6}-{d:6}-{d:6}-{d:6}"},
	{"named-secret", "MikroTik", "/ppp secret add name=joe password={a:14} service=pptp"},
	{"command-password", "smbclient", "smbclient //fs/share -U 'CORP\\joe%{p:12}'"},
	{"command-password", "ldapsearch", "ldapsearch -x -D \"cn=admin,dc=corp\" -w '{p:12}' -b dc=corp"},
	{"url-password", "Jenkins", "curl https://joe:11{x:32}@ci.corp/job/build"},
	{"salesforce-session", "Salesforce session", "sid 00D{a:12}!AQ{a:90}"},
	{"url-password", "Cloudinary", "CLOUDINARY_URL=cloudinary://{d:15}:{s:27}@corp"},
	{"password-hash", "SCRAM verifier", "rolpassword | SCRAM-SHA-256$4096:{b:22}==${b:43}=:{b:43}="},
	{"private-key", "Ansible vault", "db: !vault |\n  $ANSIBLE_VAULT;1.1;AES256\n  {x:80}\n  {x:80}\n  {x:40}"},
	{"named-secret", "unattend.xml", "<AutoLogon><Password><Value>{p:12}</Value><PlainText>true</PlainText></Password></AutoLogon>"},
	{"recovery-code", "recovery codes", "Recovery codes:\n{x:5}-{x:5}\n{x:5}-{x:5}\n{x:5}-{x:5}\n{x:5}-{x:5}"},
	{"asana-token", "Asana", "asana: use 1/{d:16}:{x:32}"},
	{"password-hash", "Juniper secret", "set system radius-server 10.0.0.1 secret \"$9${a:24}\""},
	{"zapier-webhook", "Zapier hook", "post to https://hooks.zapier.com/hooks/catch/{d:7}/{l:7}/ when done"},
	{"password-hash", "Kerberos ticket", "$krb5tgs$23$*joe$CORP.LOCAL$http/web*${x:32}${x:400}"},
	{"password-hash", "phpass", "admin:$P$B{a:30}"},
	{"named-secret", "Group Policy cpassword", "<Properties action=\"U\" userName=\"joe\" cpassword=\"{b:43}\"/>"},
	{"named-secret", "RDP file", "username:s:joe\npassword 51:b:{X:120}"},
	{"password-hash", "MySQL native hash", "root@localhost *{X:40}"},
	{"named-secret", "PostgreSQL md5 hash", "ALTER ROLE app PASSWORD 'md5{x:32}'"},
	{"password-hash", "DCC2 hash", "$DCC2$10240#joe#{x:32}"},
	{"password-hash", "Werkzeug hash", "scrypt:32768:8:1${a:16}${x:128}"},
	{"named-secret", "AWS presigned session", "https://b.s3.amazonaws.com/k?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Security-Token={a:300}&X-Amz-Signature={x:64}"},
	{"session-cookie", "session cookie", "Cookie: theme=dark; sessionid={l:32}"},
	{"named-secret", "ngrok", "ngrok config add-authtoken 2{a:26}_{a:21}"},
	{"cloudflare-token", "Cloudflare tunnel", "cloudflared service install eyJhIjoi{s:180}"},
	{"private-key", "OpenSSH key bare", "key: b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAAB{b:200}"},
	{"private-key", "PKCS12 bare", "keystore in base64: MIIKCQIBAzCCCc8GCSqGSIb3DQEHAaCCCcAEgg{b:300}"},
	{"private-key", "signify", "untrusted comment: signify secret key\nRWRCSwAAACq{b:120}"},
	{"private-key", "Tor onion key", "ADD_ONION ED25519-V3:{b:86}== Port=80"},
	{"named-secret", "Ethereum private key", "deployer 0x{x:40} has the private key 0x{x:64}"},
	{"private-key", "Cardano key", "ed25519e_sk1{bech:103}"},
	{"named-secret", "Consul gossip", "encrypt = \"{b:43}=\""},
	{"named-secret", "Jupyter", "open http://lab.corp:8888/lab?token={x:48}"},
	{"authorization-header", "Splunk HEC", "curl -H \"Authorization: Splunk {x:8}-{x:4}-4{x:3}-a{x:3}-{x:12}\" https://splunk.corp:8088"},
	{"command-password", "openssl pass", "openssl pkcs12 -in a.p12 -nodes -passin pass:{p:12}"},
	{"named-secret", "keytool", "keytool -list -keystore a.jks -storepass '{p:12}'"},
	{"named-secret", "gpg passphrase", "gpg --batch --passphrase '{p:14}' -d a.gpg"},
	{"command-password", "zip", "zip -er -P '{p:12}' a.zip a"},
	{"command-password", "chpasswd", "echo 'root:{p:12}' | chpasswd"},
	{"named-secret", "French", "Le mot de passe est {p:13}"},
	{"named-secret", "Spanish", "contraseña: {p:13}"},
	{"named-secret", "a chat", "pw for the printer: {p:12}"},
	{"named-secret", "key in a sentence", "vault operator init on the new cluster, my shard:\n\nUnseal Key 3: {a:44}\nKey Threshold: 3 of 5"},
	{"named-secret", "password of words", "jdbc:postgresql://dwh:5432/dwh?user=ro&password={human}&sslmode=require"},
	{"named-secret", "password in markup", "<add key=\"ClearTextPassword\" value=\"{human}\" />"},
	{"named-secret", "variable in capitals", "SSHPASS={human} sshpass -e scp a b"},
	{"named-secret", "French", "identifiant compta, mot de passe {human} (en mars)"},
	{"named-secret", "Spanish", "La clave del grabador es {human} y la otra la tiene Marta."},
	{"named-secret", "Dutch", "Het wachtwoord van de boekhouding is {human}"},
	{"named-secret", "Polish", "hasło do panelu: {human}"},
	{"named-secret", "Russian", "пароль от сервера: {human}"},
	{"named-secret", "Chinese", "数据库密码：{human}，请勿外传"},
	{"named-secret", "Japanese", "管理画面のパスワードは {human} です"},
	{"named-secret", "Terraform variable", "variable \"db_pw\" {\n  type    = string\n  default = \"{human}\"\n}"},
	{"private-key", "armour with a label of its own", "-----BEGIN OpenVPN tls-crypt-v2 server key-----\n{b:64}\n{b:44}\n-----END OpenVPN tls-crypt-v2 server key-----"},
	{"vendor-token", "generic", "e2b_{x:40}"},
	{"vendor-token", "generic", "acme_live_{a:32}"},
	{"wifi-password", "Wi-Fi in a QR code", "WIFI:T:WPA;S:guests;P:{p:12};;"},
	{"signed-url", "CloudFront", "https://d1.cloudfront.net/a.mp4?Expires=1798675200&Signature={s:300}&Key-Pair-Id=K1"},
	{"blue-token", "blue server token add", "blue_{s:48}"},
}

// The characters of which samples are made at run time: no line of this file looks like a secret.
const (
	digits = "0123456789"
	lower  = "abcdefghijklmnopqrstuvwxyz"
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	alnum  = digits + lower + upper
	safe   = alnum + "-_"
	hex    = digits + "abcdef"
	base64 = alnum + "+/"
)

type chance struct{ *rand.Rand }

func seeded(seed uint64) chance { return chance{rand.New(rand.NewPCG(seed, 26))} }

func (c chance) of(alphabet string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[c.IntN(len(alphabet))]
	}
	return string(b)
}

// made fills a template.
func made(c chance, text string) string {
	return holes().ReplaceAllStringFunc(text, func(hole string) string {
		name, size, _ := strings.Cut(strings.Trim(hole, "{}"), ":")
		n, _ := strconv.Atoi(size)
		switch {
		case strings.HasPrefix(name, "pem "):
			return block(strings.TrimPrefix(name, "pem "), lines(c, 5))
		case name == "pw":
			return c.of(alnum, 7) + c.of("!#%*+?^~", 1) + c.of(alnum, 7) + c.of(digits, 1)
		case name == "basic":
			return b64.StdEncoding.EncodeToString([]byte("ci:" + c.of(alnum, 16)))
		case name == "packed":
			return b64.StdEncoding.EncodeToString([]byte(c.of(alnum, n)))
		case name == "uuid":
			return uuid(c)
		case name == "p": // a password with a digit in it
			text := c.of(alnum+"!#%*+?^~", n-1)
			at := c.IntN(n)
			return text[:at] + c.of(digits, 1) + text[at:]
		case name == "human":
			return c.of(upper, 1) + c.of(lower, 6) + c.of("-_!", 1) + c.of(upper, 1) + c.of(lower, 5) + c.of(digits, 3)
		case name == "bytes":
			return joined(n, ",", func() string { return strconv.Itoa(c.IntN(256)) })
		}
		return c.of(classes[name], n)
	})
}

var classes = map[string]string{
	"d": digits, "x": hex, "X": strings.ToUpper(hex), "l": lower + digits, "L": lower + upper, "A": upper + digits, "a": alnum, "s": safe, "b": base64,
	"low": lower, "b32l": lower + "234567", "bech": "qpzry9x8gf2tvdw0s3jn54khce6mua7l",
	"b32": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", "B32": upper + "234567", "b58": strings.NewReplacer("0", "", "O", "", "I", "", "l", "").Replace(alnum), "dj": lower + digits + "!@#$%^&*(-_=+)",
}

// joined is a list of n parts.
func joined(n int, by string, part func() string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = part()
	}
	return strings.Join(all, by)
}

func holes() *regexp.Regexp {
	return regexp.MustCompile(`\{(?:[A-Za-z0-9]+:[0-9]+|pw|human|basic|uuid|pem [A-Z ]+)\}`)
}

func uuid(c chance) string {
	return fmt.Sprintf("%s-%s-4%s-a%s-%s", c.of(hex, 8), c.of(hex, 4), c.of(hex, 3), c.of(hex, 3), c.of(hex, 12))
}

func block(kind, body string) string {
	return "-----BEGIN " + kind + "-----\n" + body + "\n-----END " + kind + "-----"
}

func lines(c chance, n int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = c.of(base64, 64)
	}
	return strings.Join(all, "\n") + "\n" + c.of(base64, 21) + "="
}

// around holds the surroundings that secrets are met in; "%s" is the secret.
var around = []string{
	"%s",
	"# Deploy\n\nset KEY=%s here",
	`{"token": "%s", "other": 1}`,
	"see `%s`.",
	"line\n  - value: %s\n  - next\n",
	`escaped\n%s\n`,
}

// Of each kind 22 of 25 samples at least are found, by the rule that knows it; in the whole table, 99
// of 100.
func TestPromise26KindsAreFound(t *testing.T) {
	found, seen := 0, map[string]bool{}
	for n, k := range kinds {
		c, of := seeded(uint64(1000+n)), 0
		for i := range 25 {
			if holds(screen.Secrets(fmt.Sprintf(around[i%3], made(c, k.text))), k.rule) {
				of++
			}
		}
		if found += of; of < 22 {
			t.Errorf("%s, %s: %d of 25 samples are found", k.rule, k.source, of)
		}
		seen[k.rule] = true
	}
	t.Logf("%d of %d samples of %d kinds", found, 25*len(kinds), len(kinds))
	if found*100 < 99*25*len(kinds) {
		t.Errorf("%d of %d samples are found", found, 25*len(kinds))
	}
	for _, rule := range screen.Rules() {
		if !seen[rule] {
			t.Errorf("no kind shows the rule %s", rule)
		}
	}
}

// What stands in place of a secret is none: too few characters, crosses, a variable, words.
func TestNearMissesPass(t *testing.T) {
	for _, k := range kinds {
		c := seeded(3)
		for _, part := range []func() string{
			func() string { return c.of(lower, 2) },
			func() string { return strings.Repeat("x", 40) },
			func() string { return "${VALUE}" },
			func() string { return "<value>" },
			func() string { return "your-own-value-goes-here" },
		} {
			text := holes().ReplaceAllStringFunc(k.text, func(string) string { return part() })
			if found := screen.Secrets("# Deploy\n\nsee " + text + " here"); len(found) > 0 {
				t.Errorf("%s: %v in %s", k.source, found, text)
			}
		}
	}
}
