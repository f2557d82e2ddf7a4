package blue

import (
	"context"

	"blue/marker"
)

// SetSync says how the notes of the project travel from now on: in a notebook that is carried by
// Sync, or with the code. It says what a person has to do for it in git. The notes of others
// come with the first sync.
func (p *Project) SetSync(ctx context.Context, on bool, o Syncing) (s SyncStatus, err error) {
	switched, err := p.Switch(ctx, on)
	if err != nil {
		return s, err
	}
	if switched {
		if p, err = p.b.openProject(marker.Again(p.Found), p.Call); err != nil {
			return s, err
		}
	}
	return p.StartSync(ctx, on, o)
}
