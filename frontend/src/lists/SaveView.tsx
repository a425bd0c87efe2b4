import { Button, Checkbox, Group, Modal, Stack, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";

import { ErrorNote } from "../ui/parts";
import type { List } from "./useList";
import { useViewWrites, viewSearch } from "./views";

export const MOST_LETTERS = 80;

/** Names what is on screen. A name that is taken means: that view is to be this from now on. */
export function SaveView<Row>({ list, onClose }: { list: List<Row>; onClose: () => void }) {
  const { t } = useTranslation();
  const writes = useViewWrites();
  const [name, setName] = useState("");
  const [isDefault, setDefault] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const taken = list.views?.find((view) => view.name === name.trim());
  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    const { columns } = list.layout;
    const content = {
      search: viewSearch(list.search),
      columns: columns === null ? null : [...columns],
      // A default stays one when it is saved anew; it is given up where views are managed.
      is_default: isDefault || taken?.is_default === true,
    };
    try {
      if (taken === undefined) await writes.create({ page: list.page, name: name.trim(), ...content });
      else await writes.change(taken.id, content);
      onClose();
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  return (
    <Modal opened onClose={onClose} title={t("views.save")} closeButtonProps={{ "aria-label": t("action.close") }}>
      <form onSubmit={(event) => void save(event)}>
        <Stack>
          <TextInput
            label={t("views.name")}
            description={t("views.holds")}
            required
            data-autofocus
            maxLength={MOST_LETTERS}
            value={name}
            onChange={(event) => {
              setName(event.currentTarget.value);
            }}
          />
          <Checkbox
            label={t("views.makeDefault")}
            checked={isDefault}
            onChange={(event) => {
              setDefault(event.currentTarget.checked);
            }}
          />
          {taken !== undefined && <p className="dim small">{t("views.replaces", { name: taken.name })}</p>}
          {error !== null && <ErrorNote error={error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t("action.back")}
            </Button>
            <Button type="submit" loading={busy} disabled={name.trim() === ""}>
              {t(taken === undefined ? "action.save" : "views.replace")}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
