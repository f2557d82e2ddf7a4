package errors

import "strings"

// The failures of a server whose notes lie in a database, and of the commands that keep it.

// DatabaseAway says that the database cannot be reached, or did not answer in time.
func DatabaseAway(err error) *Error {
	return E(Busy, "the database of the notes does not answer").because(err).
		Hint("", "", "try again in a few seconds; nothing was changed unless a write had begun, which may be sent again as it was")
}

// CommitUnconfirmed says that the database has committed a write without waiting for its
// standbys, so that it may not outlive the primary.
func CommitUnconfirmed() *Error {
	return E(Busy, "the database has not confirmed that its standby has the write").
		Hint("", "", "send it again as it was: what is there is not written twice")
}

// DatabaseReadOnly says that the database takes no writes now, as a standby does.
func DatabaseReadOnly(err error) *Error {
	return E(Busy, "the database of the notes takes no writes now").because(err).
		Hint("", "", "try again in a few seconds; nothing was changed")
}

// DatabaseFull says that the database has no room for a write.
func DatabaseFull(err error) *Error {
	return E(Disk, "the disk of the database is full").because(err).
		Hint("", "", "nothing was changed: tell the people who keep the server")
}

// Contended says that a write met others each time that it was tried.
func Contended(tries int) *Error {
	return E(Busy, "other writes came first %d times", tries).
		Hint("", "", "try again in a moment; nothing was changed")
}

// SchemaMissing says that the database holds no notes of Blue yet.
func SchemaMissing() *Error {
	return E(Invalid, "the database has no tables of Blue").
		Hint("", "", "make them with: blue server migrate")
}

// SchemaOlder says that the tables are those of an earlier Blue.
func SchemaOlder(found, wanted int) *Error {
	return E(Invalid, "the tables of the database have version %d, this Blue needs %d", found, wanted).
		Hint("", "", "upgrade them once, before the servers start, with: blue server migrate")
}

// SchemaNewer says that the tables are those of a later Blue.
func SchemaNewer(found, wanted int) *Error {
	return E(Invalid, "the tables of the database have version %d, this Blue knows %d", found, wanted).
		Hint("version", "", "see which Blue this is; install the one that made the tables")
}

// WritesNewer says that the tables have become those of a later Blue, which alone may write
// them.
func WritesNewer(found, known int) *Error {
	return E(Invalid, "the tables of the database have version %d, this Blue writes %d: it only reads them", found, known).
		Hint("", "", "nothing was changed: tell the people who keep the server to start the Blue that made the tables")
}

// BadStore says why --store names no database.
func BadStore(reason string) *Error {
	return E(Invalid, "the store cannot be used: %s", reason).
		Hint("", "", "give the URL of a PostgreSQL database, as postgres://blue@HOST/NAME")
}

// StoreRefused says that the database refuses the role, or what the role must do.
func StoreRefused(reason string) *Error {
	return E(Invalid, "the database refuses: %s", quote(reason)).
		Hint("", "", "see docs/server.md for the roles and rights that Blue needs")
}

// NotServedHere says that a caller may see no project of the name; near holds those that
// the caller may see.
func NotServedHere(name string, near ...string) *Error {
	return E(NotDetected, "no project %s here", quote(name)).hintProjects(near)
}

// ProjectUnnamed says that a call named no project, and that several are possible or none.
func ProjectUnnamed(near ...string) *Error {
	return E(NoProject, "the call names no project").hintProjects(near)
}

// CwdNotSeen says that a path was all that a call said of its project.
func CwdNotSeen(near ...string) *Error {
	return E(NoProject, "cwd is a path of your machine, which this server cannot see").hintProjects(near)
}

// hintProjects names projects and how to choose one.
func (e *Error) hintProjects(names []string) *Error {
	names = lines(names, len(names), 80)
	e.With(map[string]any{"candidates": names})
	if len(names) == 0 {
		return e.Hint("", "", "you have no access to any project here: ask the people who run the server")
	}
	return e.Hint("", "", "name one of them: "+strings.Join(clip(names, 12), ", ")).
		Hint("", "", "with blue_use project=NAME, ?project=NAME in the URL, or the header Blue-Project: NAME")
}

// Forbidden says that the role of a caller in a project does not suffice.
func Forbidden(role, needed string) *Error {
	return E(Denied, "your role here is %s, and this needs %s", role, needed).
		Hint("", "", "ask the people who keep the server for another role")
}

// NoSuch says that there is nothing of that name to change.
func NoSuch(kind, name string) *Error {
	return E(NotFound, "there is no %s %s", kind, quote(name)).Hint("", "", "see the list: blue server "+kind+" list")
}

// NameTaken says that a project of the name is there already.
func NameTaken(name string) *Error {
	return E(Exists, "there is already a project %s", quote(name)).Hint("", "", "see the projects: blue server project list")
}

// ShortSecret says that a secret from the environment is missing, or easily guessed.
func ShortSecret(name string, least int) *Error {
	return E(Invalid, "the secret in %s is missing, or shorter than %d characters", name, least).
		Hint("", "", "register the server as a client at the issuer, and give the secret that the issuer makes")
}

// OpenServer says why a server without tokens may not listen where others reach it.
func OpenServer(host string) *Error {
	return E(Invalid, "a server on %s must not have --no-auth", quote(host)).
		Hint("", "", "make tokens with blue server token add, and leave the flag out").
		Hint("", "", "or serve this machine alone, with --listen 127.0.0.1:7865")
}

// NoTokenKnown says that a token is unknown, expired or revoked; which one is not told.
func NoTokenKnown() *Error {
	return E(Denied, "no such token").Hint("", "", "ask the people who keep the server for a token")
}

// ChangedThere says that a note of a server is not as a checkout believes.
func ChangedThere(reason string) *Error {
	return E(Conflict, "%s", reason).Hint("sync", "", "takes in what has changed, and sends again")
}

// BodyTooLarge says that a request is larger than a server takes.
func BodyTooLarge(limit int64) *Error {
	return E(TooLarge, "the request is over %d MiB", limit>>20).Hint("", "", "send fewer notes in each")
}

// BodyLate says that a request did not come whole.
func BodyLate() *Error {
	return E(Timeout, "the request did not come in time").Hint("", "", "try again")
}

// TokenRefused says why a token counts for nobody, for the log alone: who holds the token is
// told no more than that.
func TokenRefused(reason string) *Error {
	return E(Denied, "the token is refused: %s", reason).Hint("", "", "sign in again")
}

// IssuerAway says that the issuer of tokens cannot be asked now, for its keys or for a login.
func IssuerAway(err error) *Error {
	return E(Busy, "the issuer of the tokens does not answer").because(err).
		Hint("", "", "try again in a few seconds; nothing was changed")
}

// Lacking is the detail of a failure that a token with these scopes would not have had.
type Lacking struct {
	Scope string `json:"scope"`
}

// ScopeLacking says that a token was given for less than a call needs.
func ScopeLacking(scope, needed string) *Error {
	return E(Denied, "your token lacks the scope %s", needed).
		Hint("", "", "sign in again, and agree to "+scope).With(Lacking{scope})
}
