import type { SettingKey, settings } from './schema.ts'
import type { NameIn, SectionOf, SettingValue } from './setting-value.ts'

/** A number of milliseconds, or a text such as `2s`. */
export type DurationInput = number | string
/** A number of bytes, or a text such as `5MB`. */
export type BytesInput = number | string
/** `forever`, an age such as `90d`, or the limits one by one. */
export type RetentionInput = DurationInput | { age?: DurationInput; versions?: number; size?: BytesInput }

export type SourceRuleInput = {
  /** A host, a domain (`.example.org`), the start of a URL, or `*` for all. */
  match: string
  /** CSS selectors of page parts to ignore when comparing. */
  omit?: readonly string[]
  /** Regular expressions of text to ignore when comparing. */
  omitText?: readonly string[]
  retention?: RetentionInput
}

type Inputs = {
  duration: DurationInput
  bytes: BytesInput
  retention: RetentionInput
  sources: readonly SourceRuleInput[]
}

/** What `erace.config.ts` exports: any of the settings, as docs/config.md lists them. */
export type ConfigInput = {
  readonly [Section in SectionOf<SettingKey>]?: {
    readonly [K in SettingKey as NameIn<K, Section>]?: SettingValue<(typeof settings)[K], Inputs>
  }
} & { readonly retention?: RetentionInput; readonly sources?: readonly SourceRuleInput[] }
