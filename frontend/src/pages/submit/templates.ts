/** What one can start from. The texts are documents, in the language of documents. */

export const TEMPLATES = ["slice", "card", "gang"] as const;
export type Template = (typeof TEMPLATES)[number];

const TEXTS: Readonly<Record<Template, (queue: string) => string>> = {
  slice: (queue) => `name: inference
queue: ${queue}
groups:
  - name: server
    command: ["python3", "-u", "-m", "http.server", "0"]
    request:
      cores: 10
      memory_mib: 4096
`,
  card: (queue) => `name: train
queue: ${queue}
max_runtime: 2h
groups:
  - name: main
    command: echo "running on $(hostname)"; sleep 60
    request:
      devices: 1
      exclusive: true
`,
  gang: (queue) => `name: allreduce
queue: ${queue}
groups:
  - name: worker
    replicas: 8
    command: echo "rank $RANK of $WORLD_SIZE, master $MASTER_ADDR:$MASTER_PORT"; sleep 30
    request:
      devices: 1
      cores: 25
      memory_mib: 4096
    strategy:
      node: spread
`,
};

export const templateText = (template: Template, queue: string): string => TEXTS[template](queue);
export const templateOf = (value: string | undefined): Template => TEMPLATES.find((each) => each === value) ?? "slice";
