package follow

import (
	"context"

	"blue/blue/internal/index"
)

// Sizes of steps, in bytes of text.
const (
	stepLeast = 1 << 20
	stepTimes = 4        // more than the one before: each writes what there is
	stepMost  = 16 << 20 // of an index that is small
	stepShare = 1 << 10  // more for each document that there is already
	fileCost  = 2 << 10  // of a file, however small
)

// Step is one step of an update that brings a whole index in line.
type Step struct {
	*index.Update
	Files  int // that there are, counted by the function that looks at them
	room   int64
	loaded int // files that this step reads
	left   int // files that are left to the next
}

// Takes reports whether a file of that size is read in this step. One that is not must be
// named with [index.Update.Keep] to be found as it was.
func (s *Step) Takes(size int64) bool {
	if s.loaded > 0 && s.room < size+fileCost {
		s.left++
		return false
	}
	s.room -= size + fileCost
	s.loaded++
	return true
}

// IsLast reports whether nothing was left to another step.
func (s *Step) IsLast() bool { return s.left == 0 }

// InSteps brings an index in line by a function that looks at all files and loads those that
// the step takes. After each step searches find what it has read, and so does the next
// process: whatever ends the work, little of it is done again.
func (r *Reading) InSteps(ctx context.Context, x *index.Index, look func(s *Step) error) error {
	for size := int64(stepLeast); ; size = max(min(stepTimes*size, stepMost), int64(x.Len())*stepShare) {
		s := &Step{Update: x.Update(true), room: size}
		err := r.step(s, look)
		if err != nil || s.IsLast() {
			return err
		}
		x.Save()
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

func (r *Reading) step(s *Step, look func(s *Step) error) error {
	defer s.Cancel()
	if err := look(s); err != nil {
		return err
	}
	r.Total.Store(int64(s.Files))
	r.Done.Store(int64(s.Files - s.left - s.loaded))
	if !s.IsLast() {
		s.Doubt()
	}
	err := s.Commit()
	r.Done.Store(int64(s.Files - s.left))
	return err
}
