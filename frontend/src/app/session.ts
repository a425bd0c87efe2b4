import { useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useCallback } from "react";

import { api, ok } from "../api/client";
import { keys, meQuery } from "../api/queries";
import type { Me } from "../api/types";

/** Who is signed in. Only below the shell, which lets nobody else in. */
export function useMe(): Me {
  const { data } = useSuspenseQuery(meQuery);
  if (data === null) throw new Error("useMe while signed out");
  return data;
}

/** The console offers only what the reader may do. */
export function useMay(): (permission: string) => boolean {
  const me = useSuspenseQuery(meQuery).data;
  return (permission) => me?.permissions.includes(permission) ?? false;
}

export function useSignOut(): () => Promise<void> {
  const client = useQueryClient();
  const navigate = useNavigate();
  return useCallback(async () => {
    await ok(api.POST("/api/v1/auth/logout/"));
    await navigate({ to: "/sign-in" });
    client.clear();
    client.setQueryData(keys.me, null);
  }, [client, navigate]);
}
