# Makes opencode.db and sessions.db (of Goose), with a write-ahead log each: python3 make.py.
# Pages are as small as SQLite allows, so that trees have nodes and texts overflow.
import json, os, shutil, sqlite3, tempfile

def save(name, fill):
    with tempfile.TemporaryDirectory() as dir:
        path = os.path.join(dir, name)
        db = sqlite3.connect(path, isolation_level=None)
        db.execute("pragma page_size=512")
        db.execute("pragma journal_mode=wal")
        db.execute("pragma wal_autocheckpoint=0")
        fill(db)
        for end in "", "-wal":
            shutil.copy(path + end, name + end)
        db.close()

def opencode(db):
    db.executescript("""
        create table `session` (`id` text PRIMARY KEY, `parent_id` text, `directory` text NOT NULL, `tokens_output` integer DEFAULT 0 NOT NULL, `time_updated` integer NOT NULL);
        create table `message` (`id` text PRIMARY KEY, `session_id` text NOT NULL, `time_created` integer NOT NULL, `data` text NOT NULL, CONSTRAINT `fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE);
        create table `part` (`id` text PRIMARY KEY, `message_id` text NOT NULL, `session_id` text NOT NULL, `time_created` integer NOT NULL, `data` text NOT NULL);
        create index `message_session_time_created_id_idx` ON `message` (`session_id`,`time_created`,`id`);
        create index `part_session_idx` ON `part` (`session_id`);
    """)
    n = 0
    def message(session, parts, **data):
        nonlocal n
        n += 1
        at = 1790000000000 + 1000 * n
        db.execute("insert into message values (?,?,?,?)", (f"msg_{n}", session, at, json.dumps(data, separators=(",", ":"))))
        for i, part in enumerate(parts):
            db.execute("insert into part values (?,?,?,?,?)", (f"prt_{n}_{i}", f"msg_{n}", session, at + i, json.dumps(part, separators=(",", ":"))))
        db.execute("update session set time_updated=?, tokens_output=tokens_output+10 where id=?", (at, session))
    def tool(exit, output, **more):
        return {"type": "tool", "tool": "bash", "state": {"status": "completed", "output": output + " and what a hook says", "metadata": {"output": output, "exit": exit}, **more}}
    for i in range(40):
        db.execute("insert into session values (?,null,?,0,0)", (f"ses_{i:02}", f"/srv/p{i % 4}"))
        message(f"ses_{i:02}", [{"type": "text", "text": f"question {i}"}], role="user", summary={"diffs": []})
        message(f"ses_{i:02}", [{"type": "reasoning", "text": "hm"}, {"type": "text", "text": f"answer {i} " + "long " * 400}], role="assistant", path={"cwd": f"/srv/p{i % 4}"})
    db.execute("insert into session values ('ses_sub','ses_00','/srv/p0',0,0)")
    message("ses_sub", [{"type": "text", "text": "what the agent asked"}], role="user")
    db.execute("pragma wal_checkpoint(truncate)")
    message("ses_07", [{"type": "text", "text": "and now?"}, {"type": "text", "synthetic": True, "text": "what a plugin adds"}], role="user")
    message("ses_07", [tool(0, "fine " * 500), tool(3, "FATAL: no ledger"), {"type": "tool", "state": {"status": "error", "error": "no such file"}}, {"type": "text", "text": "It failed."}], role="assistant", path={"cwd": "/srv/p3"})
    message("ses_07", [{"type": "text", "text": "a summary"}], role="assistant", summary=True)
    message("ses_41", [{"type": "text", "text": "only in the log"}], role="user")
    db.execute("insert into session values ('ses_41',null,'/srv/p1',5,1790000099000)")
    db.execute("insert into session values ('ses_42',null,'/srv/p1',5,1790000099000)") # the last commit

def goose(db):
    db.executescript("""
        create table sessions (id text primary key, name text not null default '', working_dir text not null, updated_at timestamp, accumulated_output_tokens integer, session_type text not null default 'user');
        create table messages (id integer primary key autoincrement, session_id text not null references sessions(id), role text not null, content_json text not null, created_timestamp integer not null, metadata_json text);
        create index idx_messages_session on messages(session_id);
        insert into sessions values ('20260901_1','','/srv/g','2026-09-01 10:00:00',12,'user'), ('20260901_2','','/srv/g','2026-09-01 10:00:00',3,'sub_agent');
    """)
    def message(role, content, session="20260901_1", visible=True):
        metadata = json.dumps({"userVisible": visible, "agentVisible": True})
        db.execute("insert into messages (session_id, role, content_json, created_timestamp, metadata_json) values (?,?,?,1788256800,?)", (session, role, json.dumps(content), metadata))
    def result(**value):
        return [{"type": "toolResponse", "id": "1", "toolResult": value}]
    message("user", [{"type": "text", "text": "Why is the queue slow?"}])
    message("assistant", [{"type": "thinking", "thinking": "hm", "signature": ""}, {"type": "text", "text": "I look."}, {"type": "toolRequest", "id": "1", "toolCall": {"status": "success", "value": {"name": "shell"}}}])
    message("user", result(status="success", value={"content": [{"type": "text", "text": "fine"}], "isError": False}))
    message("user", result(status="success", value={"content": [{"type": "text", "text": "FATAL: no queue"}], "isError": True}))
    message("user", result(status="error", error="the tool is not there"))
    message("user", [{"type": "text", "text": "a summary of all that"}], visible=False)
    message("user", [{"type": "text", "text": "what the agent asked"}], session="20260901_2")
    message("assistant", [{"type": "text", "text": "It has no index."}])

save("opencode.db", opencode)
save("sessions.db", goose)
