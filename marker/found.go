package marker

// Address is by what a project is known.
type Address struct {
	Root string `json:"root"` // physical path
	Name string `json:"name"` // of project.yaml, else the base name of Root; short and visible: to show, never to compare
	ID   string `json:"id"`   // of project.yaml, else Root
}

// Found is the project of a call, and why it is that one.
type Found struct {
	Address
	Worktree string // top of the linked worktree that the start lies in, empty for none
	Source   Source
	Start    string // the physical directory that the walk began in
	Value    string // of the source, as heard
	Lost     string // the project that the roots of the session led to before, and do no more
	Near     string // the nearest existing directory, when what the source names does not exist yet

	OtherRoots []string // further projects that the same list led to
	Trace      []Tried
	Warnings   []string // what is wrong with project.yaml, with file and line
	NameFault  string   // why the name in project.yaml is shown otherwise than it stands there
	Sync       Sync     // how the notes travel
	Notes      Place    // where they lie
	Notebook   bool     // in a notebook, apart from the code's commits
	Fetched    bool     // the notebook has been filled here
	Shelves    Shelves  // what is searched beside the notes

	Device, Inode uint64 // of the marker: another pair at the same Root is another project
}

// isSameProject reports whether both are one project, by whatever path.
func (f Found) isSameProject(other Found) bool {
	return f.Root == other.Root || f.Inode != 0 && f.Device == other.Device && f.Inode == other.Inode
}
