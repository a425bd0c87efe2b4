import { useTranslation } from "react-i18next";

import type { Device, DeviceSlice } from "../../api/types";
import { useFormats } from "../../ui/format";

type Share = Pick<DeviceSlice, "exclusive" | "cores" | "memory_mib">;

/** How a share of a device is told: compute, and memory in GiB. */
export function useShareText(device: Device): { cores: (share: Share) => string; memory: (share: Share) => string } {
  const { t } = useTranslation();
  const formats = useFormats();
  return {
    cores: (share) =>
      share.exclusive ? t("slice.whole") : share.cores === 0 ? t("slice.bestEffort") : formats.percent(share.cores),
    memory: (share) => formats.gib(share.exclusive ? device.memory_mib : share.memory_mib),
  };
}
