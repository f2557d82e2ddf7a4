package main

import (
	"archive/tar"
	"archive/zip"
	"compress/flate"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"time"
)

// file is an entry of an archive. Its content is data or, if path is not empty, the file at
// path.
type file struct {
	name, path string
	data       []byte
	mode       os.FileMode // 0 is 0644
}

func (f file) read() ([]byte, error) {
	if f.path == "" {
		return f.data, nil
	}
	return os.ReadFile(f.path)
}

func (f file) permissions() os.FileMode {
	if f.mode == 0 {
		return 0o644
	}
	return f.mode
}

// past is the time of every entry, the earliest that ZIP can represent.
var past = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// archive packs the files of a target in one directory: as ZIP for Windows, as compressed tar
// for the others.
func (r *release) archive(t target, files []file) error {
	pack, ending := packTar, ".tar.gz"
	if t.os == "windows" {
		pack, ending = packZip, ".zip"
	}
	for i := range files {
		files[i].name = r.base(t) + "/" + files[i].name
	}
	return r.pack(r.base(t)+ending, pack, files)
}

func (r *release) pack(name string, pack func(io.Writer, []file) error, files []file) error {
	out, err := os.Create(filepath.Join(r.out, name))
	if err != nil {
		return err
	}
	defer out.Close()
	if err := pack(out, files); err != nil {
		return err
	}
	return out.Close()
}

func packTar(w io.Writer, files []file) error {
	zipped, _ := gzip.NewWriterLevel(w, gzip.BestCompression)
	packed := tar.NewWriter(zipped)
	for _, f := range files {
		data, err := f.read()
		if err != nil {
			return err
		}
		header := &tar.Header{Name: f.name, Mode: int64(f.permissions()), Size: int64(len(data)), ModTime: past, Format: tar.FormatUSTAR}
		if err := packed.WriteHeader(header); err != nil {
			return err
		}
		if _, err := packed.Write(data); err != nil {
			return err
		}
	}
	if err := packed.Close(); err != nil {
		return err
	}
	return zipped.Close()
}

func packZip(w io.Writer, files []file) error {
	packed := zip.NewWriter(w)
	packed.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) })
	for _, f := range files {
		data, err := f.read()
		if err != nil {
			return err
		}
		header := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: past}
		header.SetMode(f.permissions())
		entry, err := packed.CreateHeader(header)
		if err != nil {
			return err
		}
		if _, err := entry.Write(data); err != nil {
			return err
		}
	}
	return packed.Close()
}
