import { Select } from "@mantine/core";
import { IconChevronRight } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";

import { poolsQuery, tenantsQuery } from "../api/queries";
import { changed, DEFAULT_RANGE, RANGES, type Range, type ScopeSearch } from "./search";

/** Pool, tenant and time range of the page, kept in its address. */
export function useScope(): Required<Pick<ScopeSearch, "range">> & Omit<ScopeSearch, "range"> {
  const { pool, tenant, range } = useSearch({ strict: false });
  return { ...(pool && { pool }), ...(tenant && { tenant }), range: range ?? DEFAULT_RANGE };
}

export function useSetScope(): (change: { [K in keyof ScopeSearch]?: ScopeSearch[K] | null }) => void {
  const navigate = useNavigate();
  return (change) => {
    void navigate({ to: ".", search: (old) => changed<Record<string, unknown>>(old, change) });
  };
}

export function ScopeSwitcher() {
  const { t } = useTranslation();
  const scope = useScope();
  const setScope = useSetScope();
  const pools = useQuery(poolsQuery).data ?? [];
  const tenants = useQuery(tenantsQuery).data ?? [];
  return (
    <div className="scope">
      <Select
        aria-label={t("scope.pool")}
        placeholder={t("scope.allPools")}
        data={pools.map((pool) => pool.name)}
        value={scope.pool ?? null}
        onChange={(pool) => {
          setScope({ pool });
        }}
        clearable
        size="xs"
        w={140}
      />
      {tenants.length > 0 && (
        <>
          <IconChevronRight size={14} aria-hidden className="dim" />
          <Select
            aria-label={t("scope.tenant")}
            placeholder={t("scope.allTenants")}
            data={tenants.map((tenant) => ({ value: tenant.name, label: tenant.display_name || tenant.name }))}
            value={scope.tenant ?? null}
            onChange={(tenant) => {
              setScope({ tenant });
            }}
            clearable
            size="xs"
            w={140}
          />
        </>
      )}
    </div>
  );
}

export function RangeSwitch() {
  const { t } = useTranslation();
  const { range } = useScope();
  const setScope = useSetScope();
  return (
    <Select
      aria-label={t("scope.range")}
      data={(Object.keys(RANGES) as Range[]).map((value) => ({ value, label: t(`range.${value}`) }))}
      value={range}
      onChange={(value) => {
        setScope({ range: value as Range | null });
      }}
      allowDeselect={false}
      size="xs"
      w={116}
    />
  );
}
