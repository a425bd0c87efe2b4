import jsxA11y from "eslint-plugin-jsx-a11y";
import reactHooks from "eslint-plugin-react-hooks";
import tseslint from "typescript-eslint";

const SPOKEN_ATTRIBUTES = new Set(["aria-label", "title", "placeholder", "label", "alt", "description"]);
const HAS_WORD = /\p{L}{2,}/u;

/** Text that people read comes from src/i18n, so that no language is forgotten. */
const noLiteralText = {
  meta: { type: "problem", schema: [], messages: { literal: "Text belongs into src/i18n: {{text}}" } },
  create(context) {
    const check = (node, text) => {
      if (HAS_WORD.test(text)) context.report({ node, messageId: "literal", data: { text: text.trim() } });
    };
    return {
      JSXText: (node) => check(node, node.value),
      JSXAttribute(node) {
        const value = node.value;
        if (!SPOKEN_ATTRIBUTES.has(node.name.name) || value === null) return;
        const literal = value.type === "JSXExpressionContainer" ? value.expression : value;
        if (literal.type === "Literal" && typeof literal.value === "string") check(node, literal.value);
      },
    };
  },
};

export default tseslint.config({ ignores: ["dist", "node_modules", "src/api/schema.ts"] }, ...tseslint.configs.strict, {
  files: ["**/*.{ts,tsx}"],
  plugins: {
    "jsx-a11y": jsxA11y,
    "react-hooks": reactHooks,
    vast: { rules: { "no-literal-text": noLiteralText } },
  },
  rules: {
    ...jsxA11y.flatConfigs.strict.rules,
    "react-hooks/rules-of-hooks": "error",
    "react-hooks/exhaustive-deps": "error",
    "vast/no-literal-text": "error",
    "max-lines": ["error", 500],
    "@typescript-eslint/consistent-type-imports": "error",
    "@typescript-eslint/no-non-null-assertion": "error",
  },
});
