import { createContext, useContext } from "react";

import type { FieldProblem } from "../../api/types";
import { fieldOf, type Path } from "./document";

export type FormState = {
  /** The document as it is now, of any shape. */
  value: unknown;
  fields: readonly FieldProblem[];
  /** The text cannot be read, so the form cannot edit it. */
  disabled: boolean;
  set: (path: Path, value: unknown) => void;
};

export const FormContext = createContext<FormState>({ value: null, fields: [], disabled: true, set: () => undefined });

/** What the server said of this field, or of what lies below it when the form has no place for that. */
export function problemAt(fields: readonly FieldProblem[], path: Path, withBelow = false): string | undefined {
  const field = fieldOf(path);
  const found = fields.find(
    (each) =>
      each.field === field || (withBelow && (each.field.startsWith(`${field}.`) || each.field.startsWith(`${field}[`))),
  );
  return found?.detail;
}

export const useForm = (): FormState => useContext(FormContext);
