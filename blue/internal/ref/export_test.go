package ref

import "time"

// SetPatience says for how long a command that asks a remote may give no sign of progress.
func (r *Repo) SetPatience(d time.Duration) { r.remoteTime = d }
