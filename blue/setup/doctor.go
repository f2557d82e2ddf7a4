package setup

import (
	"context"
	"path/filepath"

	"blue/blue"
	"blue/blue/build"
	"blue/blue/internal/clients"
	"blue/errors"
	"blue/marker/mount"
)

// Doctor looks at everything between a client and the notes: the project, Blue's
// own files, and the configuration of one client or of all those found on this
// machine. It changes nothing, and that there is no project is no failure.
func (m Machine) Doctor(ctx context.Context, c blue.Call, client string) (Diagnosis, error) {
	d := Diagnosis{Version: build.Version(), Binary: m.Self, Servers: []string{}, Clients: []Examined{}}
	chosen := clients.All()
	if client != "" {
		one, err := clients.Named(client)
		if err != nil {
			return d, err
		}
		chosen = []clients.Client{one}
	}
	found, missing := m.Blue.Choose(ctx, c)
	if missing == nil {
		d.About = m.Blue.AboutFound(found)
		d.Findings = m.examineProject(ctx, found)
	} else {
		d.Findings = []Finding{missingProject(missing)}
	}
	urls, dead := m.findServers(ctx)
	d.Servers = append(d.Servers, urls...)
	d.Findings = append(d.Findings, m.examineOwn(urls, dead)...)
	e := examination{m: m, place: m.place(found.Root), urls: urls, asked: client != "", below: found.Root != "" && isBelow(found.Root, c.Cwd)}
	for _, chosen := range chosen {
		if e.asked || chosen.Found(e.place) {
			d.Clients = append(d.Clients, e.examineClient(ctx, chosen))
		}
	}
	return d, nil
}

// isBelow reports whether dir is another directory than root, and in it.
func isBelow(root, dir string) bool {
	if resolved, err := mount.Resolve(dir); err == nil {
		dir = resolved
	}
	below, err := filepath.Rel(root, dir)
	return err == nil && below != "." && filepath.IsLocal(below)
}

// missingProject says why there is none. That nothing was found is no fault: a person
// may ask from anywhere.
func missingProject(err error) Finding {
	f := Finding{Matter: "project", State: mend, Text: errors.Of(err).Message, Remedy: firstRemedy(err)}
	if errors.Is(err, errors.NoProject) {
		f.State = remark
	}
	return f
}
