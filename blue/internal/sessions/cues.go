package sessions

// Scores of what settles something.
const (
	rateOpener   = 1.5 // of words that contradict, at the beginning
	leastSettled = 3   // of a correction or a decision
	leastCause   = 3.5
)

// openers begin an answer that contradicts.
var openers = []string{
	"no", "nope", "nah", "stop", "wait", "hold on", "actually", "hmm no", "wrong", "that's wrong",
	"please don't", "not like that", "nein", "nee", "halt", "moment", "warte", "falsch", "doch nicht",
}

// fillers lead to what a sentence says.
var fillers = []string{
	"ok", "okay", "so", "then", "please", "pls", "hmm", "hm", "ah", "oh", "well", "actually", "right", "wait",
	"and", "but", "also", "yes", "yeah", "good", "indeed", "general", "decided", "bitte", "gut", "ja", "aber",
	"und",
}

// norms say how things are to be done.
var norms = map[string]float64{
	"we always": 3, "we never": 3, "we only": 2.5, "we don't": 2, "we do not": 2, "never": 2, "always": 1.5,
	"don't use": 2, "do not use": 2, "don't": 1, "do not": 1, "must": 1.5, "must not": 1, "mustn't": 2,
	"has to be": 1.5, "have to be": 1.5, "has to": 0.5, "instead": 1.5, "instead of": 0.5, "use": 1,
	"no use": 1, "nope use": 1, "actually use": 1, "and not": 1, "make it": 0.5, "every": 0.5,
	"in general": 1.5, "general": 1.5, "not allowed": 2, "is forbidden": 2, "everywhere": 1, "anywhere": 1,
	"in this codebase": 2, "in this repo": 2, "in this project": 2, "around here": 1, "here": 0.5,
	"that's not how": 3, "not how we": 2, "by convention": 2, "our convention": 2, "should never": 1,
	"should always": 1, "wir immer": 2, "immer": 1, "nie": 2, "niemals": 2, "nimm": 2, "nein nimm": 1,
	"nehmt": 1.5, "benutze": 2, "benutz": 2, "verwende": 2, "bei uns": 1.5, "statt": 1.5, "stattdessen": 1.5,
	"überall": 1, "muss": 1, "müssen": 1, "darf nicht": 2, "heißt": 1, "kein": 0.5, "keine": 0.5,
	"stop using": 2.5, "stop doing": 2, "rather than": 1.5, "should be": 1, "shouldn't": 1.5,
	"should not": 1.5, "needs to": 0.5, "we use": 1.5, "we call": 2, "is called": 1, "the convention": 2,
	"by default": 0.5, "are never": 0.5, "is never": 0.5, "not how we do": 1, "required": 1, "mandatory": 2,
	"sollte": 1, "sollen": 0.5, "wir benutzen": 2,
}

// decisions say what was chosen.
var decisions = map[string]float64{
	"let's go with": 3, "lets go with": 3, "let's stick": 3.5, "let's use": 3.5, "lets use": 3.5,
	"we go with": 2.5, "we go for": 3.5, "go with": 1.5, "we'll go with": 3, "we'll use": 4, "we will use": 4,
	"decided": 4, "we decide": 3.5, "our decision": 3.5, "from now on": 4, "from here on": 3.5, "agreed": 2,
	"change of plan": 3.5, "we stay": 3, "we'll stay": 3, "we keep": 3, "we'll keep": 3, "we leave": 2.5,
	"stick with": 2.5, "stick to": 2.5, "it is": 0.5, "final": 1.5, "as a rule": 3, "rule": 1,
	"for the future": 2, "no more": 1, "we drop": 2.5, "we're going with": 4, "we settle": 3, "throw": 1,
	"remove": 0.5, "kill": 0.5, "only": 1, "option": 0.5, "then": 0.5, "for all": 0.5, "for everything": 1,
	"except": 0.5, "wir nehmen": 3.5, "wir nutzen": 3, "wir verwenden": 3, "ab jetzt": 3.5, "ab sofort": 3.5,
	"von jetzt an": 3.5, "künftig": 2.5, "entschieden": 3.5, "wir bleiben": 3, "beschlossen": 3.5,
	"so machen wir": 2, "i've decided": 0.5, "i decided": 0.5, "we want": 1.5, "let's keep": 3,
	"let's do": 1.5, "let's move": 2, "let's drop": 3, "let's switch": 3, "we switch": 3, "we move to": 2.5,
	"no rewrite": 2, "at all": 1, "it is then": 2.5, "so it's": 1, "we don't need": 2, "for good": 1.5,
	"that's the deal": 2.5, "that's decided": 1, "as agreed": 2, "we agreed": 3, "machen wir so": 2.5,
	"wir einigen": 3,
}

// doubts say that nothing is settled.
var doubts = map[string]float64{
	"maybe": 3, "perhaps": 2, "should we": 3, "could we": 3, "can we": 2, "what if": 3, "not sure": 3,
	"i think": 1, "don't know": 3, "thinking": 2, "later": 2, "some day": 2, "someday": 2, "for now": 1.5,
	"at some point": 2, "might": 1.5, "probably": 1.5, "don't worry": 3, "don't forget": 2, "don't you": 3,
	"why don't": 3, "don't like": 1, "don't think": 2, "how do": 3, "how does": 3, "what do": 2, "do you": 3,
	"if you": 1, "would": 1, "no problem": 3, "that's fine": 3, "no thanks": 3, "no that's": 1,
	"vielleicht": 2, "wie machen": 3, "sollen wir": 3, "forget it": 2, "keep getting": 3, "keep seeing": 3,
	"keep running": 2, "don't have": 2, "don't want": 1, "only have": 2, "never worked": 2, "never happens": 2,
	"never seen": 2, "yet": 2, "i want": 1.5, "i need": 1, "let me": 2, "need to": 1, "i meant": 2,
	"i mean": 1, "this week": 2, "today": 1.5, "tomorrow": 1.5, "tonight": 1.5, "please": 0.5,
}

// causes say why something was wrong.
var causes = map[string]float64{
	"the cause": 3, "cause was": 1, "root cause": 3, "was caused by": 3, "were caused by": 3, "caused by": 1,
	"came from": 2.5, "comes from": 1.5, "came down to": 3, "stems from": 3, "stemmed from": 3, "culprit": 3,
	"the reason": 2, "reason was": 1, "reason for": 0.5, "turned out": 2.5, "due to": 2, "because": 1.5,
	"because of": 0.5, "that is why": 2, "that's why": 2, "which is why": 2, "the fault": 2.5, "to blame": 2.5,
	"resulted from": 2.5, "was that": 0.5, "the problem was": 3, "the bug was": 3, "the issue was": 3,
	"broke because": 1.5, "failed because": 1.5, "lag an": 3, "lag am": 3, "lag daran": 3, "ursache": 3,
	"grund war": 3, "schuld": 2.5, "kam von": 2, "explains": 1.5, "responsible": 2, "introduced by": 2,
	"introduced with": 2, "led to": 2, "which made": 2, "the mistake": 2.5, "the bug": 1.5, "causes": 1.5,
	"caused": 2, "broke": 1, "what broke": 1.5, "since commit": 2, "until commit": 2, "that is the bug": 2,
	"the trouble was": 3, "grund": 1.5, "deshalb": 1,
}

// cures say that it is right now.
var cures = map[string]float64{
	"fixed": 1, "that fixed": 1, "solved": 1, "resolved": 1, "works": 1, "work": 0.5, "worked": 1, "passes": 1,
	"pass": 1, "green": 1, "gone": 1, "no longer": 1, "since": 0.5, "since then": 0.5, "anymore": 0.5,
	"helped": 1, "helps": 1, "went through": 1, "succeeds": 1, "succeeded": 1, "did it": 1, "flat": 0.5,
	"i replaced": 0.5, "instead": 0.5, "now": 0.5, "remedy": 1, "was the remedy": 1, "without a": 0.5,
	"is back": 1, "behoben": 1, "läuft": 1, "geht wieder": 1, "jetzt": 0.5, "went away": 1, "disappeared": 1,
	"has stayed": 1, "stays": 0.5, "no more": 1, "restored": 1, "goes through": 1, "builds": 1, "built": 0.5,
	"starts": 0.5, "runs": 0.5, "came back": 1, "is fine": 1, "are fine": 1, "right again": 1,
	"back to normal": 1, "healthy": 1, "after that": 0.5, "succeed": 1, "clean": 0.5, "funktioniert": 1,
	"klappt": 1, "weg": 0.5,
}

// troubles are words of a person about something that is wrong.
var troubles = map[string]float64{
	"why": 1, "fails": 1, "fail": 1, "failed": 1, "failing": 1, "broken": 1, "breaks": 1, "broke": 1,
	"crash": 1, "crashes": 1, "flaky": 1, "slow": 1, "wrong": 1, "error": 1, "errors": 1, "bug": 1, "lost": 1,
	"missing": 1, "blank": 1, "duplicates": 1, "memory": 0.5, "oom": 1, "leak": 1, "negative": 0.5, "hangs": 1,
	"stuck": 1, "gap": 1, "odd": 1, "weird": 1, "bounce": 1, "refused": 1, "red": 0.5, "nothing": 0.5,
	"help": 0.5, "warum": 1, "kaputt": 1, "fehler": 1, "problem": 1, "issue": 0.5, "weirdly": 1, "strange": 1,
	"fault": 1, "twice": 0.5, "blocked": 1, "outage": 1, "down": 0.5, "timeout": 1, "timeouts": 1,
	"corrupt": 1, "nan": 1, "off by": 1, "shifted": 1, "differ": 1, "shows no": 1, "doesn't work": 1,
	"does not work": 1, "not working": 1, "can't": 0.5, "cannot": 0.5, "complain": 1, "geht nicht": 1,
	"falsch": 1, "langsam": 1, "fehlt": 1,
}

// failed say that it is still wrong.
var failed = map[string]float64{
	"still": 1, "same": 1, "as before": 1, "as expected": 1, "did not help": 2, "does not help": 2,
	"unfortunately": 1, "not yet": 1, "immer noch": 1, "no change": 1,
}

// assents begin an answer that takes what was said as settled.
var assents = []string{
	"right", "understood", "done", "noted", "agreed", "changed", "removed", "replaced", "rewritten",
	"switched", "ok", "good", "sorry", "my mistake", "you're right", "you are right", "gut", "alles klar",
	"verstanden", "erledigt", "stimmt", "umgesetzt",
}
