import { ActionIcon, Button, NumberInput, SegmentedControl, Select } from "@mantine/core";
import { IconArrowDown, IconArrowUp, IconPlus, IconX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";

import { presentModelsQuery } from "../../api/queries";
import type { DeviceModel } from "../../api/types";
import { useFormats } from "../../ui/format";
import { problemAt, useForm } from "./formContext";
import { asList, asMap, asNumber, asText, type Share, shareOf, withShare } from "./formModel";

type Loose = Readonly<Record<string, unknown>>;

export function RequestForm({ index, request }: { index: number; request: Loose }) {
  const { t } = useTranslation();
  const { fields, set, disabled } = useForm();
  const at = ["groups", index, "request"] as const;
  const share = shareOf(request);
  const number = (key: string, min: number, most: number, placeholder?: string) => (
    <NumberInput
      label={t(`submit.request.${key}`)}
      min={min}
      max={most}
      {...(placeholder === undefined ? {} : { placeholder })}
      value={asNumber(request[key])}
      error={problemAt(fields, [...at, key])}
      onChange={(next) => {
        set([...at, key], next);
      }}
    />
  );
  const general = problemAt(fields, at);
  return (
    <div className="stack tight">
      <SegmentedControl
        size="xs"
        aria-label={t("submit.share.label")}
        disabled={disabled}
        data={(["slice", "whole", "none"] as const).map((value) => ({ value, label: t(`submit.share.${value}`) }))}
        value={share}
        onChange={(value) => {
          set(at, withShare(request, value as Share));
        }}
      />
      {general !== undefined && <p className="fielderror">{general}</p>}
      <div className="fields">
        {share !== "none" && number("devices", 1, 64, "1")}
        {share === "slice" && number("cores", 1, 100)}
        {share === "slice" && number("memory_mib", 1, 16_777_216)}
        {number("cpu_millis", 0, 1_024_000, "0")}
        {number("host_memory_mib", 0, 67_108_864, "0")}
      </div>
      {share !== "none" && <Selectors at={at} selector={asList(request["selector"]).map(asMap)} />}
    </div>
  );
}

function Selectors({ at, selector }: { at: readonly [string, number, string]; selector: readonly Loose[] }) {
  const { t } = useTranslation();
  const { set } = useForm();
  const models = useQuery(presentModelsQuery).data ?? [];
  const move = (from: number, to: number): void => {
    const next = [...selector];
    const [taken] = next.splice(from, 1);
    if (taken !== undefined) next.splice(to, 0, taken);
    set([...at, "selector"], next);
  };
  return (
    <div className="stack tight">
      <span className="label">{t("submit.selector.title")}</span>
      {selector.length === 0 && <span className="dim small">{t("submit.selector.any")}</span>}
      {selector.map((choice, index) => (
        <div className="selector" key={index}>
          <span className="num dim">{index + 1}</span>
          <Choice at={[...at, "selector", index]} choice={choice} models={models} />
          <ActionIcon
            variant="subtle"
            color="gray"
            disabled={index === 0}
            aria-label={t("submit.selector.up")}
            onClick={() => {
              move(index, index - 1);
            }}
          >
            <IconArrowUp size={14} aria-hidden />
          </ActionIcon>
          <ActionIcon
            variant="subtle"
            color="gray"
            disabled={index === selector.length - 1}
            aria-label={t("submit.selector.down")}
            onClick={() => {
              move(index, index + 1);
            }}
          >
            <IconArrowDown size={14} aria-hidden />
          </ActionIcon>
          <ActionIcon
            variant="subtle"
            color="red"
            aria-label={t("submit.selector.remove")}
            onClick={() => {
              set(
                [...at, "selector"],
                selector.filter((_, each) => each !== index),
              );
            }}
          >
            <IconX size={14} aria-hidden />
          </ActionIcon>
        </div>
      ))}
      <div>
        <Button
          size="compact-xs"
          variant="default"
          leftSection={<IconPlus size={12} aria-hidden />}
          disabled={models.length === 0}
          onClick={() => {
            const first = models[0];
            if (first !== undefined)
              set([...at, "selector", selector.length], { vendor: first.vendor, model: first.name });
          }}
        >
          {t("submit.selector.add")}
        </Button>
      </div>
    </div>
  );
}

type ChoiceProps = { at: readonly (string | number)[]; choice: Loose; models: readonly DeviceModel[] };

function Choice({ at, choice, models }: ChoiceProps) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { fields, set } = useForm();
  const vendor = asText(choice["vendor"]);
  const model = asText(choice["model"]);
  const vendors = [...new Set([...models.map((each) => each.vendor), vendor])].filter(Boolean).sort();
  const fitting = models.filter((each) => vendor === "" || each.vendor === vendor);
  const known = fitting.some((each) => each.name === model);
  return (
    <>
      <Select
        aria-label={t("term.vendor")}
        placeholder={t("term.vendor")}
        size="xs"
        clearable
        data={vendors.map((value) => ({ value, label: t(`vendor.${value}`, { defaultValue: value }) }))}
        value={vendor || null}
        error={problemAt(fields, [...at, "vendor"])}
        onChange={(next) => {
          // Another vendor has other models.
          const rest = Object.entries(choice).filter(([key]) => key !== "vendor" && key !== "model");
          set(at, { ...(next === null ? {} : { vendor: next }), ...Object.fromEntries(rest) });
        }}
      />
      <Select
        aria-label={t("term.model")}
        placeholder={t("submit.selector.anyModel")}
        size="xs"
        clearable
        searchable
        data={[
          ...fitting.map((each) => ({ value: each.name, label: `${each.name} · ${formats.gib(each.memory_mib)} GiB` })),
          ...(model !== "" && !known ? [{ value: model, label: model }] : []),
        ]}
        value={model || null}
        error={problemAt(fields, [...at, "model"]) ?? problemAt(fields, at)}
        onChange={(next) => {
          set([...at, "model"], next ?? undefined);
        }}
      />
      <NumberInput
        aria-label={t("submit.selector.memory")}
        placeholder={t("submit.selector.memory")}
        size="xs"
        min={1}
        value={asNumber(choice["memory_mib"])}
        error={problemAt(fields, [...at, "memory_mib"])}
        onChange={(next) => {
          set([...at, "memory_mib"], next);
        }}
      />
    </>
  );
}
