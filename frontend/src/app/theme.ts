import { createTheme, type MantineColorsTuple } from "@mantine/core";

const pine: MantineColorsTuple = [
  "#e6f7f8",
  "#d3ebee",
  "#a7d5db",
  "#77bdc7",
  "#50a9b5",
  "#379caa",
  "#2796a5",
  "#178391",
  "#057482",
  "#006572",
];

/** Mantine draws dark inputs, menus and dialogs with these: the tints of styles/base.css. */
const dark: MantineColorsTuple = [
  "#e6ecf1",
  "#b8c4ce",
  "#9aa8b4",
  "#6c7a86",
  "#2f3a44",
  "#28323b",
  "#1c242b",
  "#171d23",
  "#12171c",
  "#0d1115",
];

export const theme = createTheme({
  colors: { pine, dark },
  primaryColor: "pine",
  primaryShade: { light: 8, dark: 8 },
  autoContrast: true,
  defaultRadius: "sm",
  cursorType: "pointer",
  fontFamily:
    '"Inter Variable", Inter, -apple-system, "Segoe UI", "PingFang SC", "Microsoft YaHei", "Noto Sans SC", "Noto Sans CJK SC", sans-serif',
  fontFamilyMonospace: '"JetBrains Mono", "SF Mono", "Cascadia Code", Consolas, "Noto Sans Mono CJK SC", monospace',
  headings: { fontWeight: "600" },
});
