import { Button, Group, Select, Stack, TextInput } from "@mantine/core";
import { type FormEvent, type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";

import { ErrorNote } from "../../ui/parts";

/** Days until a new secret expires; null = never. */
const LIVES = { "1": 1, "30": 30, "90": 90, "365": 365, never: null } as const;
type Life = keyof typeof LIVES;
const DAY_MS = 86_400_000;

type Props = {
  action: string;
  mostLetters: number;
  /** Further fields. */
  children?: ReactNode;
  onCreate: (name: string, expiresAt: string | null) => Promise<void>;
};

/** Makes something with a name and an end that has a secret. */
export function SecretForm({ action, mostLetters, children, onCreate }: Props) {
  const { t } = useTranslation();
  const [name, setName] = useState("");
  const [life, setLife] = useState<Life>("90");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const create = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    const days = LIVES[life];
    try {
      await onCreate(name, days === null ? null : new Date(Date.now() + days * DAY_MS).toISOString());
      setName("");
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form onSubmit={(event) => void create(event)}>
      <Stack gap="sm">
        <Group align="flex-end" gap="sm">
          <TextInput
            label={t("tokens.name")}
            required
            maxLength={mostLetters}
            value={name}
            onChange={(event) => {
              setName(event.currentTarget.value);
            }}
          />
          {children}
          <Select
            label={t("tokens.expires")}
            data={(Object.keys(LIVES) as Life[]).map((value) => ({ value, label: t(`tokens.life.${value}`) }))}
            value={life}
            allowDeselect={false}
            onChange={(value) => {
              setLife((value ?? "90") as Life);
            }}
          />
          <Button type="submit" loading={busy}>
            {action}
          </Button>
        </Group>
        {error !== null && <ErrorNote error={error} />}
      </Stack>
    </form>
  );
}
