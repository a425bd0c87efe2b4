/** Commands that somebody pastes into a shell. */

export const TOKEN_FILE = "vast-enrolment-token";

export const agentCommand = (origin: string): string =>
  `vast-agent --server ${origin} --token-file ${TOKEN_FILE} --state ./vast-agent-state`;

/** Puts the secret into a file that only its owner reads, and starts the agent with it. */
export const enrolCommand = (origin: string, secret: string): string =>
  `(umask 077; echo '${secret}' > ${TOKEN_FILE})\n${agentCommand(origin)}`;

export const queueCommand = (origin: string, pool: string): string =>
  [
    `curl -X POST -H "Authorization: Bearer $VAST_TOKEN" -H 'Content-Type: application/json'`,
    `-d '${JSON.stringify({ name: "first", pool })}' '${origin}/api/v1/queues/'`,
  ].join(" \\\n  ");

export const jobCommand = (queue: string): string =>
  `cat > hello.yaml <<'END'
name: hello
queue: ${queue}
groups:
  - command: echo hello
    request: {cores: 10, memory_mib: 1024}
END
vast job submit -f hello.yaml --wait --logs`;
