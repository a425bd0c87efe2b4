import { Alert } from "@mantine/core";
import { IconKey } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

/** Around a secret that the server does not show again. */
export function ShownOnce({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  return (
    <Alert color="teal" icon={<IconKey size={18} aria-hidden />} title={t("tokens.shownOnce")} mt="md" role="status">
      {children}
    </Alert>
  );
}
