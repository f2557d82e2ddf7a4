package blue

import (
	"blue/blue/internal/follow"
	"blue/blue/internal/note"
	"blue/blue/internal/notebook"
	"blue/blue/internal/notesync"
	"blue/blue/internal/result"
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

// What the verbs answer; package result describes it.
type (
	About       = result.About
	Adopted     = result.Adopted
	Beside      = result.Beside
	Board       = result.Board
	Card        = result.Card
	Checked     = result.Checked
	Clash       = result.Clash
	Compared    = result.Compared
	Conflict    = result.Conflict
	Context     = result.Context
	Current     = result.Current
	DayUsage    = result.DayUsage
	Document    = result.Document
	Documents   = result.Documents
	Edited      = result.Edited
	Event       = result.Event
	Facet       = result.Facet
	Facets      = result.Facets
	Glance      = result.Glance
	Graph       = result.Graph
	Hit         = result.Hit
	Hits        = result.Hits
	Initialized = result.Initialized
	Issue       = result.Issue
	Known       = result.Known
	LeftOut     = result.LeftOut
	Link        = result.Link
	Located     = result.Located
	Log         = result.Log
	Moved       = result.Moved
	Node        = result.Node
	Note        = result.Note
	Page        = result.Page
	Part        = result.Part
	Past        = result.Past
	Projects    = result.Projects
	Ref         = result.Ref
	Reindexed   = result.Reindexed
	Removed     = result.Removed
	Resolved    = result.Resolved
	Reviewed    = result.Reviewed
	Revised     = result.Revised
	Row         = result.Row
	Rows        = result.Rows
	Shares      = result.Shares
	Shelf       = result.Shelf
	Stats       = result.Stats
	SyncStatus  = result.SyncStatus
	Synced      = result.Synced
	TagList     = result.TagList
	TrashList   = result.TrashList
	Trashed     = result.Trashed
	Trusted     = result.Trusted
	Where       = result.Where
	Written     = result.Written
	Cited       = note.Cited
	DiffLine    = note.DiffLine
)

// BesideHeading stands above documents and commits that follow notes.
const BesideHeading = result.BesideHeading

// Unknown stands in the place of an author whom nobody knows.
const Unknown = result.Unknown

// Diff compares two texts line by line. It is empty when they have the same lines.
func Diff(before, after string) []DiffLine { return note.DiffLines(before, after) }
