import { type ComboboxItem, Select } from "@mantine/core";

type Props = {
  label: string;
  data: readonly (string | ComboboxItem)[];
  value: string | undefined;
  onChange: (value: string | null) => void;
  width?: number;
  searchable?: boolean;
};

/** One filter of a list; its name stands in it while nothing is chosen. */
export function FilterSelect({ label, data, value, onChange, width = 132, searchable = false }: Props) {
  return (
    <Select
      aria-label={label}
      placeholder={label}
      size="xs"
      w={width}
      clearable
      searchable={searchable}
      data={data}
      value={value ?? null}
      onChange={onChange}
    />
  );
}
