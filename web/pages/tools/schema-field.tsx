import { Button } from "../../components/button.tsx";
import { Field, type ControlProps } from "../../components/field.tsx";
import { Icon } from "../../components/icon.tsx";
import {
  choicesOf,
  emptyDraft,
  itemsOf,
  joinPath,
  kindOf,
  propertiesOf,
  rangeOf,
  type Draft,
  type Problem,
  type Property,
  type Schema,
} from "./schema-form.ts";

interface SchemaFieldProps {
  readonly property: Property;
  /** Where in the input it lies; empty for the whole. */
  readonly path: string;
  readonly draft: Draft;
  readonly problems: readonly Problem[];
  readonly onChange: (draft: Draft) => void;
}

/** The field, or the fields, of one part of a schema. */
export function SchemaField(props: SchemaFieldProps) {
  const kind = kindOf(props.property.schema);
  if (kind === "object") return <ObjectFields {...props} />;
  if (kind === "list") return <ListFields {...props} />;
  return <PlainField {...props} />;
}

function PlainField({ property, path, draft, problems, onChange }: SchemaFieldProps) {
  const { schema } = property;
  return (
    <Field label={labelOf(property)} hint={hintOf(schema)} error={problemAt(problems, path)}>
      <Control property={property} draft={draft} onChange={onChange} />
    </Field>
  );
}

type ControlOf = Pick<SchemaFieldProps, "property" | "draft" | "onChange"> & ControlProps;

function Control({ property, draft, onChange, ...tied }: ControlOf) {
  const { schema, isRequired } = property;
  const text = typeof draft === "string" ? draft : "";
  switch (kindOf(schema)) {
    case "boolean":
      return (
        <select
          {...tied}
          class="select"
          value={typeof draft === "boolean" ? String(draft) : ""}
          onChange={(event) => onChange({ "": undefined, true: true, false: false }[event.currentTarget.value])}
        >
          <option value="">{isRequired ? "no (not chosen)" : "not given"}</option>
          <option value="true">yes</option>
          <option value="false">no</option>
        </select>
      );
    case "choice":
      return (
        <select
          {...tied}
          class="select"
          value={text}
          onChange={(event) => onChange(event.currentTarget.value || undefined)}
        >
          <option value="">{isRequired ? "choose…" : "not given"}</option>
          {choicesOf(schema)?.map((choice) => {
            const value = JSON.stringify(choice);
            return (
              <option key={value} value={value}>
                {typeof choice === "string" ? choice : value}
              </option>
            );
          })}
        </select>
      );
    case "number":
      return (
        <input
          {...tied}
          class="input mono"
          inputMode="decimal"
          value={text}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      );
    case "json":
      return (
        <textarea
          {...tied}
          class="textarea grows mono"
          rows={1}
          placeholder="JSON"
          value={text}
          onInput={(event) => onChange(event.currentTarget.value || undefined)}
        />
      );
    default:
      return (
        <textarea
          {...tied}
          class="textarea grows mono"
          rows={1}
          required={isRequired}
          value={text}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      );
  }
}

function ObjectFields({ property, path, draft, problems, onChange }: SchemaFieldProps) {
  const values = typeof draft === "object" && !Array.isArray(draft) ? (draft as Readonly<Record<string, Draft>>) : {};
  const fields = propertiesOf(property.schema).map((inner) => (
    <SchemaField
      key={inner.name}
      property={inner}
      path={joinPath(path, inner.name)}
      draft={values[inner.name]}
      problems={problems}
      onChange={(value) => onChange({ ...values, [inner.name]: value })}
    />
  ));
  if (path === "") return <div class="fields">{fields}</div>;
  return (
    <fieldset class="nested object">
      <legend>{labelOf(property)}</legend>
      {hintOf(property.schema) === undefined ? null : <p class="field-hint">{hintOf(property.schema)}</p>}
      {fields}
    </fieldset>
  );
}

function ListFields({ property, path, draft, problems, onChange }: SchemaFieldProps) {
  const items: readonly Draft[] = Array.isArray(draft) ? (draft as readonly Draft[]) : [];
  const schema = itemsOf(property.schema);
  return (
    <fieldset class="nested">
      <legend>{labelOf(property)}</legend>
      {hintOf(property.schema) === undefined ? null : <p class="field-hint">{hintOf(property.schema)}</p>}
      {items.map((item, index) => (
        <div class="list-item" key={index}>
          <SchemaField
            property={{ name: `${property.name} ${index + 1}`, schema, isRequired: true }}
            path={joinPath(path, String(index))}
            draft={item}
            problems={problems}
            onChange={(value) => onChange(items.with(index, value))}
          />
          <Button
            kind="quiet"
            label={`Remove ${property.name} ${index + 1}`}
            onClick={() => onChange(items.filter((_, other) => other !== index))}
          >
            <Icon name="cross" />
          </Button>
        </div>
      ))}
      <Button label={`Add to ${property.name}`} onClick={() => onChange([...items, emptyDraft(schema)])}>
        <Icon name="plus" />
        Add
      </Button>
    </fieldset>
  );
}

function labelOf({ name, isRequired }: Property): string {
  return isRequired ? name : `${name} (optional)`;
}

function hintOf(schema: Schema): string | undefined {
  const { description } = schema;
  const said = typeof description === "string" ? description : "";
  return [said, rangeOf(schema)].filter((part) => part !== "").join(" · ") || undefined;
}

function problemAt(problems: readonly Problem[], path: string): string | undefined {
  return path === "" ? undefined : problems.find((problem) => problem.path === path)?.message;
}
