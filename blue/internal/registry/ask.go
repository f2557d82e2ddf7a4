package registry

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"
)

// AnswerTime is how long all projects that one call asks may take together: they are asked at
// the same time.
const AnswerTime = 3 * time.Second

// Answer is what became of one project that was asked.
type Answer struct {
	Value  any    // an error after a panic
	Reason string // why it is left out; empty too when there is nothing to say of it
}

// AskAll asks all projects at the same time. The function that it returns waits for the
// answers, in the order of the projects, but no longer than [AnswerTime] from now: a project
// that hangs is left behind and named as silent.
func AskAll(ctx context.Context, all []Project, ask func(context.Context, Project) Answer) (wait func() []Answer) {
	type answer struct {
		at int
		Answer
	}
	ctx, cancel := context.WithTimeout(ctx, AnswerTime)
	given := make(chan answer, len(all))
	answers := make([]Answer, len(all))
	for i, p := range all {
		answers[i].Reason = Silent
		go func() {
			mine := answer{at: i}
			defer func() {
				if fault := recover(); fault != nil { // in another project: it does not fail the call
					mine.Answer = Answer{Value: fmt.Errorf("%v\n%s", fault, debug.Stack()), Reason: "it cannot be read"}
				}
				given <- mine
			}()
			mine.Answer = ask(ctx, p)
		}()
	}
	return func() []Answer {
		defer cancel()
		for range all {
			select {
			case a := <-given:
				answers[a.at] = a.Answer
			case <-ctx.Done():
				return answers
			}
		}
		return answers
	}
}
