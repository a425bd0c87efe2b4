import { ActionIcon, NumberInput, SegmentedControl, Select, Textarea, TextInput } from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";

import { Panel } from "../../ui/parts";
import { problemAt, useForm } from "./formContext";
import { asList, asMap, asNumber, asText, type Kind, kindOf } from "./formModel";
import { Pairs } from "./Pairs";
import { RequestForm } from "./RequestForm";

/** The name that the server gives a group without one. */
const DEFAULT_NAME = "main";

type Props = { index: number; group: Readonly<Record<string, unknown>>; only: boolean };

export function GroupForm({ index, group, only }: Props) {
  const { t } = useTranslation();
  const { fields, set } = useForm();
  const at = ["groups", index] as const;
  const error = (...path: string[]): string | undefined => problemAt(fields, [...at, ...path]);
  return (
    <Panel
      title={t("submit.group", { name: asText(group["name"]) || DEFAULT_NAME })}
      aside={
        only ? null : (
          <ActionIcon
            variant="subtle"
            color="red"
            aria-label={t("submit.removeGroup")}
            onClick={() => {
              set(at, undefined);
            }}
          >
            <IconTrash size={16} aria-hidden />
          </ActionIcon>
        )
      }
    >
      {error() !== undefined && <p className="fielderror">{error()}</p>}
      <div className="fields">
        <TextInput
          label={t("submit.groupName")}
          placeholder={DEFAULT_NAME}
          value={asText(group["name"])}
          error={error("name")}
          onChange={(event) => {
            set([...at, "name"], event.currentTarget.value);
          }}
        />
        <NumberInput
          label={t("submit.replicas")}
          min={1}
          max={4096}
          placeholder="1"
          value={asNumber(group["replicas"])}
          error={error("replicas")}
          onChange={(next) => {
            set([...at, "replicas"], next);
          }}
        />
      </div>
      <CommandForm index={index} group={group} />
      <RequestForm index={index} request={asMap(group["request"])} />
      <details className="more">
        <summary>{t("submit.more")}</summary>
        <div className="fields">
          <TextInput
            label={t("submit.workingDir")}
            value={asText(group["working_dir"])}
            error={error("working_dir")}
            onChange={(event) => {
              set([...at, "working_dir"], event.currentTarget.value);
            }}
          />
          {(["node", "device"] as const).map((level) => (
            <Select
              key={level}
              label={t(`submit.strategy.${level}`)}
              data={["pack", "spread"].map((value) => ({ value, label: t(`submit.strategy.${value}`) }))}
              allowDeselect={false}
              value={asText(asMap(group["strategy"])[level]) || "pack"}
              error={error("strategy", level)}
              onChange={(value) => {
                set([...at, "strategy", level], value === "pack" ? undefined : value);
              }}
            />
          ))}
        </div>
        <Pairs label={t("submit.env")} path={[...at, "env"]} />
      </details>
    </Panel>
  );
}

const FIRST: Readonly<Record<Kind, unknown>> = {
  shell: "sleep 60",
  arguments: ["sleep", "60"],
  simulate: { seconds: 30 },
};

function CommandForm({ index, group }: { index: number; group: Readonly<Record<string, unknown>> }) {
  const { t } = useTranslation();
  const { fields, set, disabled } = useForm();
  const at = ["groups", index] as const;
  const kind = kindOf(group);
  const choose = (next: Kind): void => {
    set([...at, next === "simulate" ? "command" : "simulate"], undefined);
    set([...at, next === "simulate" ? "simulate" : "command"], FIRST[next]);
  };
  const simulate = asMap(group["simulate"]);
  return (
    <div className="stack tight">
      <SegmentedControl
        size="xs"
        aria-label={t("submit.command")}
        disabled={disabled}
        data={(["shell", "arguments", "simulate"] as const).map((value) => ({
          value,
          label: t(`submit.kind.${value}`),
        }))}
        value={kind}
        onChange={(value) => {
          choose(value as Kind);
        }}
      />
      {kind === "shell" && (
        <Textarea
          label={t("submit.command")}
          description={t("submit.shellHelp")}
          autosize
          minRows={2}
          maxRows={10}
          classNames={{ input: "mono" }}
          value={asText(group["command"])}
          error={problemAt(fields, [...at, "command"])}
          onChange={(event) => {
            set([...at, "command"], event.currentTarget.value);
          }}
        />
      )}
      {kind === "arguments" && (
        <Textarea
          label={t("submit.command")}
          description={t("submit.argumentsHelp")}
          autosize
          minRows={2}
          maxRows={12}
          classNames={{ input: "mono" }}
          value={asList(group["command"]).map(asText).join("\n")}
          error={problemAt(fields, [...at, "command"], true)}
          onChange={(event) => {
            set([...at, "command"], event.currentTarget.value.split("\n"));
          }}
        />
      )}
      {kind === "simulate" && (
        <div className="fields">
          {(["seconds", "load_percent", "exit_code"] as const).map((key) => (
            <NumberInput
              key={key}
              label={t(`submit.simulate.${key}`)}
              min={0}
              value={asNumber(simulate[key])}
              error={problemAt(fields, [...at, "simulate", key])}
              onChange={(next) => {
                set([...at, "simulate", key], next);
              }}
            />
          ))}
        </div>
      )}
    </div>
  );
}
