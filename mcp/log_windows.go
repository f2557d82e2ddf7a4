package mcp

const noFollow = 0 // the check before it is all there is
