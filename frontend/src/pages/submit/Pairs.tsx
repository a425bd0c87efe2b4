import { ActionIcon, Button, TextInput } from "@mantine/core";
import { IconPlus, IconX } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";

import type { Path } from "./document";
import { problemAt, useForm } from "./formContext";
import { asMap, asText } from "./formModel";

/** A mapping of names to values (labels, environment); a new pair is written once it has a name. */
export function Pairs({ label, path }: { label: string; path: Path }) {
  const { t } = useTranslation();
  const { value, fields, set } = useForm();
  const [name, setName] = useState("");
  const [content, setContent] = useState("");
  const map = asMap(
    path.reduce<unknown>(
      (found, part) => (Array.isArray(found) ? (found as unknown[])[Number(part)] : asMap(found)[part]),
      value,
    ),
  );
  const problem = problemAt(fields, path, true);
  const add = (): void => {
    if (name === "") return;
    set(path, { ...map, [name]: content });
    setName("");
    setContent("");
  };
  const input = (key: string, of: string, text: string, onChange: (text: string) => void, readOnly = false) => (
    <TextInput
      key={key}
      size="xs"
      classNames={{ input: "mono" }}
      aria-label={t(`submit.pair.${of}`, { label })}
      placeholder={t(`submit.pairHint.${of}`)}
      value={text}
      readOnly={readOnly}
      onChange={(event) => {
        onChange(event.currentTarget.value);
      }}
    />
  );
  return (
    <div className="stack tight">
      <span className="label">{label}</span>
      {problem !== undefined && <p className="fielderror">{problem}</p>}
      {Object.entries(map).map(([key, each]) => (
        <div className="pair" key={key}>
          {input("name", "name", key, () => undefined, true)}
          {input("value", "value", asText(each), (text) => {
            // An empty value is a value here.
            set(path, { ...map, [key]: text });
          })}
          <ActionIcon
            variant="subtle"
            color="red"
            aria-label={t("submit.pair.remove", { name: key })}
            onClick={() => {
              set(path, Object.fromEntries(Object.entries(map).filter(([other]) => other !== key)));
            }}
          >
            <IconX size={14} aria-hidden />
          </ActionIcon>
        </div>
      ))}
      <div className="pair">
        {input("name", "name", name, setName)}
        {input("value", "value", content, setContent)}
        <Button
          size="compact-xs"
          variant="default"
          leftSection={<IconPlus size={12} aria-hidden />}
          disabled={name === ""}
          onClick={add}
        >
          {t("action.add")}
        </Button>
      </div>
    </div>
  );
}
