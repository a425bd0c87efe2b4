import { Kbd, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconFilter } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";

const PAUSE_MS = 250;

/** The filter that `/` goes to; it acts after a pause in typing. */
export function FilterText({
  value,
  onChange,
  placeholder,
}: {
  value: string | undefined;
  onChange: (value: string) => void;
  placeholder: string;
}) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState(value ?? "");
  const tell = useDebouncedCallback(onChange, PAUSE_MS);
  useEffect(() => {
    setTyped(value ?? "");
  }, [value]);
  return (
    <TextInput
      className="filtertext"
      data-filter-focus
      size="xs"
      type="search"
      aria-label={placeholder}
      placeholder={placeholder}
      leftSection={<IconFilter size={14} aria-hidden />}
      rightSection={<Kbd size="xs">{t("filter.key")}</Kbd>}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        tell(event.currentTarget.value);
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape") event.currentTarget.blur();
      }}
    />
  );
}
