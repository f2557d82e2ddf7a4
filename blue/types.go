package blue

import (
	"blue/blue/internal/follow"
	"blue/blue/internal/note"
	"blue/blue/internal/notebook"
	"blue/blue/internal/notesync"
	"blue/blue/internal/reply"
)

// What callers give to the verbs and to a Blue.
type (
	Call         = notebook.Call
	Change       = notebook.Change
	Choice       = notebook.Choice
	Comparing    = notebook.Comparing
	Draft        = notebook.Draft
	Facts        = notebook.Facts
	Filter       = notebook.Filter
	Hosted       = notebook.Hosted
	HostedNotes  = notebook.HostedNotes
	Incoming     = notebook.Incoming
	Intake       = notebook.Intake
	Moment       = notebook.Moment
	Notes        = notebook.Reader
	Offered      = notebook.Offered
	Options      = notebook.Options
	Publication  = notebook.Publication
	Published    = notebook.Published
	Query        = notebook.Query
	Reading      = notebook.Reading
	Removal      = notebook.Removal
	Resolving    = notebook.Resolving
	Settled      = notebook.Settled
	Source       = notebook.Source
	Texts        = notebook.Texts
	Writer       = notebook.Writer
	Syncing      = notesync.Options
	HostedChange = follow.Change
)

// What the verbs answer; package reply describes it.
type (
	About       = reply.About
	Adopted     = reply.Adopted
	Beside      = reply.Beside
	Board       = reply.Board
	Card        = reply.Card
	Checked     = reply.Checked
	Clash       = reply.Clash
	Compared    = reply.Compared
	Conflict    = reply.Conflict
	Context     = reply.Context
	Current     = reply.Current
	DayUsage    = reply.DayUsage
	Document    = reply.Document
	Documents   = reply.Documents
	Edited      = reply.Edited
	Event       = reply.Event
	Facet       = reply.Facet
	Facets      = reply.Facets
	Glance      = reply.Glance
	Graph       = reply.Graph
	Hit         = reply.Hit
	Hits        = reply.Hits
	Initialized = reply.Initialized
	Issue       = reply.Issue
	Known       = reply.Known
	LeftOut     = reply.LeftOut
	Link        = reply.Link
	Located     = reply.Located
	Log         = reply.Log
	Moved       = reply.Moved
	Node        = reply.Node
	Note        = reply.Note
	Page        = reply.Page
	Part        = reply.Part
	Past        = reply.Past
	Projects    = reply.Projects
	Ref         = reply.Ref
	Reindexed   = reply.Reindexed
	Removed     = reply.Removed
	Resolved    = reply.Resolved
	Reviewed    = reply.Reviewed
	Revised     = reply.Revised
	Row         = reply.Row
	Rows        = reply.Rows
	Shares      = reply.Shares
	Shelf       = reply.Shelf
	Stats       = reply.Stats
	SyncStatus  = reply.SyncStatus
	Synced      = reply.Synced
	TagList     = reply.TagList
	TrashList   = reply.TrashList
	Trashed     = reply.Trashed
	Trusted     = reply.Trusted
	Where       = reply.Where
	Written     = reply.Written
	Cited       = note.Cited
	DiffLine    = note.DiffLine
)

// BesideHeading stands above documents and commits that follow notes.
const BesideHeading = reply.BesideHeading

// Unknown stands in the place of an author whom nobody knows.
const Unknown = reply.Unknown

// Diff compares two texts line by line. It is empty when they have the same lines.
func Diff(before, after string) []DiffLine { return note.DiffLines(before, after) }
