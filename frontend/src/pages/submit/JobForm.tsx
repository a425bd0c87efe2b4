import { Button, Checkbox, NumberInput, Select, TextInput } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";

import type { Queue } from "../../api/types";
import { Panel } from "../../ui/parts";
import { problemAt, useForm } from "./formContext";
import { asList, asMap, asNumber, asText, newGroup } from "./formModel";
import { GroupForm } from "./GroupForm";
import { Pairs } from "./Pairs";

const PRIORITIES = { low: -100, normal: 0, high: 100 } as const;

/** The document as fields; each writes into the text at once. */
export function JobForm({ queues }: { queues: readonly Queue[] }) {
  const { t } = useTranslation();
  const { value, fields, disabled, set } = useForm();
  const document = asMap(value);
  const groups = asList(document["groups"]);
  const error = (path: readonly string[]): string | undefined => problemAt(fields, path);
  const priority = document["priority"];
  const named =
    typeof priority === "string" && priority in PRIORITIES ? PRIORITIES[priority as keyof typeof PRIORITIES] : priority;
  return (
    <fieldset disabled={disabled} className="jobform">
      <legend className="sr">{t("submit.form")}</legend>
      <Panel title={t("submit.job")}>
        <div className="fields">
          <TextInput
            label={t("submit.name")}
            required
            value={asText(document["name"])}
            error={error(["name"])}
            onChange={(event) => {
              set(["name"], event.currentTarget.value);
            }}
          />
          <Select
            label={t("term.queue")}
            required
            searchable
            data={[...new Set([...queues.map((queue) => queue.path), asText(document["queue"])])].filter(Boolean)}
            value={asText(document["queue"]) || null}
            error={error(["queue"])}
            disabled={disabled}
            onChange={(queue) => {
              set(["queue"], queue ?? "");
            }}
          />
          <NumberInput
            label={t("job.priority")}
            min={-1000}
            max={1000}
            placeholder="0"
            value={asNumber(named)}
            error={error(["priority"])}
            onChange={(next) => {
              set(["priority"], next);
            }}
          />
          <TextInput
            label={t("submit.maxRuntime")}
            placeholder={t("submit.maxRuntimeHint")}
            value={asText(document["max_runtime"])}
            error={error(["max_runtime"])}
            onChange={(event) => {
              const typed = event.currentTarget.value;
              set(["max_runtime"], /^\d+$/.test(typed) ? Number(typed) : typed);
            }}
          />
          <NumberInput
            label={t("submit.array")}
            min={1}
            max={10_000}
            placeholder="1"
            value={asNumber(document["array"])}
            error={error(["array"])}
            onChange={(next) => {
              set(["array"], next);
            }}
          />
          <Checkbox
            mt="lg"
            label={t("submit.held")}
            checked={document["held"] === true}
            onChange={(event) => {
              set(["held"], event.currentTarget.checked || undefined);
            }}
          />
        </div>
        <Pairs label={t("submit.labels")} path={["labels"]} />
      </Panel>
      {groups.map((group, index) => (
        <GroupForm key={index} index={index} group={asMap(group)} only={groups.length === 1} />
      ))}
      {problemAt(fields, ["groups"]) !== undefined && <p className="fielderror">{problemAt(fields, ["groups"])}</p>}
      <Button
        size="xs"
        variant="default"
        leftSection={<IconPlus size={14} aria-hidden />}
        onClick={() => {
          set(["groups", groups.length], newGroup(groups.map((group) => asText(asMap(group)["name"]))));
        }}
      >
        {t("submit.addGroup")}
      </Button>
    </fieldset>
  );
}
