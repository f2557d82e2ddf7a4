package index

import "blue/blue/internal/segment"

// Document is one document to be found. The body is not kept.
type Document = segment.Document

// Row is what is kept of a document besides its words.
type Row = segment.Row

// Stamp tells whether a file is the one that was read.
type Stamp = segment.Stamp
