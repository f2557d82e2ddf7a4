// Kept by `blue setup`, which writes it anew; "blue setup opencode --remove" takes it out.
import { spawn } from "node:child_process"

const ask = (event) =>
  new Promise((resolve) => {
    const blue = spawn("blue", ["hook", "opencode"], { cwd: event.cwd, stdio: ["pipe", "pipe", "ignore"], windowsHide: true })
    let answer = ""
    blue.on("error", () => resolve(""))
    blue.on("close", () => resolve(answer.trim()))
    blue.stdout.setEncoding("utf8").on("data", (text) => (answer += text))
    blue.stdin.on("error", () => {})
    blue.stdin.end(JSON.stringify(event))
  }).catch(() => "")

export const Blue = async ({ directory }) => {
  const starts = new Map()
  const parents = new Map() // of the sessions that began here
  const tell = (name, session, more) => ask({ hook_event_name: name, session_id: session, cwd: directory, ...more })
  const begin = (id) =>
    parents.get(id) ? tell("SubagentStart", id) : tell("SessionStart", id, { source: parents.has(id) ? "startup" : "resume" })
  return {
    event: async ({ event }) => {
      if (event.type === "session.created") parents.set(event.properties.info.id, event.properties.info.parentID)
    },
    "experimental.chat.system.transform": async ({ sessionID }, output) => {
      if (!starts.has(sessionID)) starts.set(sessionID, begin(sessionID))
      const text = await starts.get(sessionID)
      if (text) output.system.push(text)
    },
    "chat.message": async ({ sessionID }, { message, parts }) => {
      const last = parts.at(-1)
      const prompt = parts.map((part) => part.text ?? "").join("\n")
      const text = last && (await tell("UserPromptSubmit", sessionID, { prompt }))
      if (text) parts.push({ id: last.id + "b", sessionID, messageID: message.id, type: "text", synthetic: true, text })
    },
    "tool.execute.after": async ({ tool, sessionID, args }, output) => {
      const failed = tool === "bash" && output?.metadata?.exit
      if (!failed && !/^(read|edit|write|patch|multiedit|apply_patch)$|blue_(read|write|edit)$/.test(tool)) return
      const response = failed ? { tool_response: { exit: failed, output: output.output } } : {}
      const text = await tell("PostToolUse", sessionID, { tool_name: tool, tool_input: args, ...response })
      if (text && typeof output?.output === "string") output.output += "\n" + text
    },
    "experimental.session.compacting": async ({ sessionID }, output) => {
      starts.set(sessionID, tell("SessionStart", sessionID, { source: "compact" }))
      if (await starts.get(sessionID)) output.context.push("Keep the ids of the notes of Blue that were read or written.")
    },
  }
}
