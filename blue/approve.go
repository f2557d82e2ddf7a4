package blue

import (
	"context"

	"blue/errors"
)

// Approve enters in the ledger that the user has reviewed a note as it stands in a revision.
func (p *Project) Approve(ctx context.Context, id, revision string) (err error) {
	defer p.NameProject(&err)
	if err := p.refresh(ctx); err != nil {
		return err
	}
	row, err := p.findNote(id)
	if err != nil {
		return err
	}
	if row.Revision != revision {
		return errors.NotesMoved()
	}
	return p.ledger.Record(row.Name, revision)
}

// ApproveAll approves each note as it stands, if nothing has come, changed or gone since the
// stamp that the user has seen.
func (p *Project) ApproveAll(ctx context.Context, stamp string) (approved int, err error) {
	defer p.NameProject(&err)
	if err := p.refresh(ctx); err != nil {
		return 0, err
	}
	rows := p.index.All(false) // before the stamp is made, so that none of them is newer
	now, err := p.Stamp(ctx)
	if err != nil {
		return 0, err
	}
	if now != stamp {
		return 0, errors.NotesMoved()
	}
	for _, row := range rows {
		if p.isLocal(row.Name, row.Revision) {
			continue
		}
		if err := p.ledger.Record(row.Name, row.Revision); err != nil {
			return approved, err
		}
		approved++
	}
	return approved, nil
}

// approveAll approves each file of the notes as it stands.
func (p *Project) approveAll(ctx context.Context) (approved int, err error) {
	for file, err := range p.store.Files(ctx) {
		if file.Problem != "" {
			continue
		}
		revision := ""
		if err == nil {
			_, revision, err = p.store.Read(file.Name)
		}
		if err != nil && p.left.LeaveOut(file.Name, err) {
			continue
		}
		if err != nil {
			return approved, err
		}
		if err := p.ledger.Record(file.Name, revision); err != nil {
			return approved, err
		}
		approved++
	}
	return approved, nil
}
