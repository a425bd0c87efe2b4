import { useTranslation } from "react-i18next";

import { lookOf } from "./states";

export function StateChip({ state, size = 14 }: { state: string; size?: number }) {
  const { t } = useTranslation();
  const { icon: Icon, color } = lookOf(state);
  return (
    <span className="chip" data-color={color}>
      <Icon size={size} stroke={2} aria-hidden />
      {t(`state.${state}`)}
    </span>
  );
}
