import { Kbd, Modal, Switch, Table } from "@mantine/core";
import { useTranslation } from "react-i18next";

import { useCell } from "../live/hooks";
import { shortcutsOn, switchShortcuts } from "./shortcuts";

const KEYS = [
  ["Ctrl K", "palette"],
  ["/", "filter"],
  ["j", "down"],
  ["k", "up"],
  ["Enter", "open"],
  ["x", "select"],
  [".", "apply"],
  ["g o", "overview"],
  ["g n", "nodes"],
  ["g d", "devices"],
  ["g w", "jobs"],
  ["g q", "queues"],
  ["?", "sheet"],
  ["Esc", "close"],
] as const;

export function ShortcutSheet({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const on = useCell(shortcutsOn);
  return (
    <Modal opened onClose={onClose} title={t("shortcuts.title")} closeButtonProps={{ "aria-label": t("action.close") }}>
      <Switch
        label={t("shortcuts.on")}
        checked={on}
        onChange={(event) => {
          switchShortcuts(event.currentTarget.checked);
        }}
        mb="md"
      />
      <Table withRowBorders={false} verticalSpacing={4}>
        <Table.Tbody>
          {KEYS.map(([key, name]) => (
            <Table.Tr key={name}>
              <Table.Td>
                <Kbd>{key}</Kbd>
              </Table.Td>
              <Table.Td>{t(`shortcuts.${name}`)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Modal>
  );
}
