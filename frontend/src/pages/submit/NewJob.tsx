import { Alert, Button, Menu } from "@mantine/core";
import { IconCircleCheck, IconSend, IconTemplate } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useEffect, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";

import { api, ok } from "../../api/client";
import { isProblem } from "../../api/problem";
import { jobQuery, keys, queuesQuery } from "../../api/queries";
import type { FieldProblem, JobDocumentRequest, Queue } from "../../api/types";
import { useMe } from "../../app/session";
import { randomKey } from "../../lib/ids";
import { keep, recall } from "../../lib/keep";
import { ErrorNote, Loaded, PageHead, Panel } from "../../ui/parts";
import { edit, marksOf, parse, type Path, toYaml } from "./document";
import { FormContext } from "./formContext";
import { JobForm } from "./JobForm";
import { firstQueue, lastQueueKey, withQueueProblem } from "./queueChoice";
import { templateOf, TEMPLATES, templateText } from "./templates";
import { YamlEditor } from "./YamlEditor";

const route = getRouteApi("/shell/jobs/new");

/** Waits for what the first text is made of: the queues, and the job to start from. */
export function NewJob() {
  const search = route.useSearch();
  const queues = useQuery(queuesQuery);
  const from = useQuery({ ...jobQuery(search.from ?? ""), enabled: search.from !== undefined });
  const leaves = (queues.data ?? []).filter((queue) => queue.is_leaf);
  const me = useMe();
  const first = search.queue ?? firstQueue(leaves, recall(lastQueueKey(me)), me);
  return (
    <div className="page scrolls">
      <Loaded query={queues}>
        {() =>
          search.from === undefined ? (
            <Submit initial={templateText(templateOf(search.template), first)} queues={leaves} queue={first} />
          ) : (
            <Loaded query={from}>
              {(job) => <Submit initial={toYaml(job.document)} queues={leaves} queue={first} />}
            </Loaded>
          )
        }
      </Loaded>
    </div>
  );
}

const NO_FIELDS: readonly FieldProblem[] = [];

type Outcome =
  { kind: "none" } | { kind: "valid" } | { kind: "refused"; error: unknown; fields: readonly FieldProblem[] };

function Submit({ initial, queues, queue }: { initial: string; queues: readonly Queue[]; queue: string }) {
  const { t } = useTranslation();
  const [text, setText] = useState(initial);
  const [busy, setBusy] = useState<"check" | "submit" | null>(null);
  const [outcome, setOutcome] = useState<Outcome>({ kind: "none" });
  const send = useSend(text);
  const parsed = useMemo(() => parse(text), [text]);
  const [lastGood, setLastGood] = useState<unknown>(null);
  useEffect(() => {
    if (parsed.ok) setLastGood(parsed.value);
  }, [parsed]);
  const value = parsed.ok ? parsed.value : lastGood;
  const fields = outcome.kind === "refused" ? outcome.fields : NO_FIELDS;
  const marks = parsed.ok ? marksOf(text, fields) : parsed.marks;

  const change = (next: string): void => {
    setText(next);
    setOutcome({ kind: "none" });
  };
  const go = async (what: "check" | "submit"): Promise<void> => {
    if (busy !== null || !parsed.ok) return;
    setBusy(what);
    try {
      await send(parsed.value, what);
      if (what === "check") setOutcome({ kind: "valid" });
    } catch (error) {
      const named = isProblem(error) ? error.fields : [];
      setOutcome({
        kind: "refused",
        error,
        fields: withQueueProblem(named, parsed.value, queues, t("submit.noQueue")),
      });
    } finally {
      setBusy(null);
    }
  };
  const context = useMemo(
    () => ({
      value,
      fields,
      disabled: !parsed.ok,
      set: (path: Path, next: unknown) => {
        setText((before) => edit(before, path, next));
        setOutcome({ kind: "none" });
      },
    }),
    [value, fields, parsed.ok],
  );
  const general = fields.filter((field) => field.field === "");
  return (
    <>
      <PageHead title={t("submit.title")}>
        <Menu position="bottom-end" withinPortal>
          <Menu.Target>
            <Button size="xs" variant="default" leftSection={<IconTemplate size={14} aria-hidden />}>
              {t("submit.template")}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {TEMPLATES.map((template) => (
              <Menu.Item
                key={template}
                onClick={() => {
                  change(templateText(template, queue));
                }}
              >
                {t(`submit.templates.${template}`)}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
        <Button
          size="xs"
          variant="default"
          disabled={!parsed.ok}
          loading={busy === "check"}
          onClick={() => void go("check")}
        >
          {t("submit.check")}
        </Button>
        <Button
          size="xs"
          leftSection={<IconSend size={14} aria-hidden />}
          disabled={!parsed.ok || busy === "check"}
          loading={busy === "submit"}
          onClick={() => void go("submit")}
        >
          {t("submit.submit")}
        </Button>
      </PageHead>
      {outcome.kind === "valid" && (
        <Alert color="teal" icon={<IconCircleCheck size={18} aria-hidden />} role="status">
          {t("submit.valid")}
        </Alert>
      )}
      {outcome.kind === "refused" && (
        <div className="stack">
          {fields.length === 0 ? (
            <ErrorNote error={outcome.error} />
          ) : (
            <Alert color="red" role="alert" title={t("submit.refused", { count: fields.length })}>
              <ul className="problems">
                {[...general, ...fields.filter((field) => field.field !== "")].map((field) => (
                  <li key={`${field.field} ${field.code}`}>
                    {field.field !== "" && <code>{field.field}</code>} {field.detail}
                  </li>
                ))}
              </ul>
            </Alert>
          )}
        </div>
      )}
      <div className="submitgrid">
        <FormContext value={context}>
          <JobForm queues={queues} />
        </FormContext>
        <Panel
          title={t("submit.yaml")}
          aside={<span className="dim small">{t(parsed.ok ? "submit.inStep" : "submit.notYaml")}</span>}
        >
          <YamlEditor text={text} marks={marks} onChange={change} />
        </Panel>
      </div>
    </>
  );
}

/**
 * Sends the document. The same text keeps its key, so that a second press, or a try after a lost answer, never makes a
 * second job; another text is another job.
 */
function useSend(text: string): (value: unknown, what: "check" | "submit") => Promise<void> {
  const navigate = route.useNavigate();
  const queryClient = useQueryClient();
  const me = useMe();
  const key = useRef({ text: "", key: "" });
  return async (value, what) => {
    const body = value as JobDocumentRequest;
    if (what === "check") {
      await ok(api.POST("/api/v1/jobs/", { params: { query: { dry_run: true } }, body }));
      return;
    }
    if (key.current.text !== text) key.current = { text, key: randomKey() };
    const job = await ok(
      api.POST("/api/v1/jobs/", { params: { header: { "Idempotency-Key": key.current.key } }, body }),
    );
    keep(lastQueueKey(me), job.queue.path);
    await queryClient.invalidateQueries({ queryKey: keys.jobs });
    await navigate({ to: "/jobs/$id", params: { id: job.id } });
  };
}
