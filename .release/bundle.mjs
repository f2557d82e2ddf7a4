// node bundle.mjs BUNDLE PROJECT: starts the server of an unpacked bundle as a desktop
// client would, with the directory that a person picked, and asks it which project it is.
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { getMcpConfigForManifest } from "@anthropic-ai/mcpb";

const [bundle, project] = process.argv.slice(2);
const manifest = JSON.parse(readFileSync(`${bundle}/manifest.json`, "utf8"));

// The configuration as the client makes it on a system.
async function configured(platform) {
  const here = Object.getOwnPropertyDescriptor(process, "platform");
  Object.defineProperty(process, "platform", { value: platform });
  const config = await getMcpConfigForManifest({
    manifest,
    extensionPath: bundle,
    systemDirs: {},
    userConfig: { project },
    pathSeparator: "/",
  });
  Object.defineProperty(process, "platform", here);
  if (!existsSync(config.command) || config.args.join(" ") !== `mcp --project ${project}`) {
    throw new Error(`${platform}: ${JSON.stringify(config)}`);
  }
  return config;
}

for (const platform of ["darwin", "win32"]) await configured(platform);
const { command, args } = await configured("linux");
const server = spawn(command, args, { cwd: "/", stdio: ["pipe", "pipe", "inherit"] });
const send = (message) => server.stdin.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
send({ id: 1, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "desktop", version: "1" } } });
send({ method: "notifications/initialized" });
send({ id: 2, method: "tools/call", params: { name: "blue_where", arguments: {}, _meta: { "dev.blue/structured": true } } });
server.stdin.end();
let said = "";
for await (const chunk of server.stdout) said += chunk;
const answer = said.split("\n").filter(Boolean).map((line) => JSON.parse(line)).find((m) => m.id === 2);
const found = answer?.result?.structuredContent?.project;
if (found?.root !== project || found?.source !== "flag") throw new Error(`blue_where: ${said}`);
console.log(`the bundle serves the directory picked, by ${found.source}`);
