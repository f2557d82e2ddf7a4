package words

import "slices"

// IsStopWord reports whether a folded English word carries no meaning of its own. Words that change
// the meaning (not, no, only, off, down, before) are not stop words.
func IsStopWord(word string) bool { return slices.Contains(stopWords[:], word) }

var stopWords = [...]string{
	"a", "am", "an", "and", "are", "as", "at", "be", "been", "being", "but", "by", "can", "could", "did", "do",
	"does", "doing", "for", "from", "had", "has", "have", "having", "he", "her", "hers", "him", "his", "how", "i",
	"if", "in", "into", "is", "it", "its", "me", "my", "of", "on", "or", "our", "ours", "s", "she", "should", "so",
	"t", "than", "that", "the", "their", "theirs", "them", "then", "there", "these", "they", "this", "those", "to",
	"us", "was", "we", "were", "what", "when", "where", "which", "while", "who", "whom", "why", "will", "with",
	"would", "you", "your", "yours",
}
