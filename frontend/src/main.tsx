import "@mantine/core/styles.css";
import "@mantine/notifications/styles.css";
import "@mantine/spotlight/styles.css";
import "./styles/base.css";
import "./styles/shell.css";
import "./styles/parts.css";
import "./styles/lists.css";
import "./styles/overview.css";
import "./styles/submit.css";
import "./styles/pages.css";

import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";

import { isProblem } from "./api/problem";
import { makeRouter } from "./app/router";
import { theme } from "./app/theme";
import { startI18n } from "./i18n";

await startI18n();

const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // The live socket says when something is out of date.
      staleTime: 10_000,
      refetchOnWindowFocus: false,
      retry: (failures, error) => failures < 2 && !(isProblem(error) && error.status >= 400 && error.status < 500),
    },
  },
});
const router = makeRouter(queryClient);
const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no #root");

createRoot(root).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto">
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
