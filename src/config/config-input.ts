import type { UrlCondition } from '../core/url/url-condition.ts'
import type { SettingKey, settings } from './schema.ts'

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

type InputOf<S> = S extends { kind: 'boolean' }
  ? boolean
  : S extends { kind: 'integer' | 'number' }
    ? number
    : S extends { kind: 'duration' | 'bytes' }
      ? number | string
      : S extends { kind: 'choice'; choices: readonly (infer C)[] }
        ? C
        : S extends { kind: 'list' | 'cidrs' | 'nameservers' | 'parts' }
          ? readonly string[]
          : S extends { kind: 'retention' }
            ? RetentionInput
            : S extends { kind: 'sources' }
              ? readonly SourceRuleInput[]
              : S extends { kind: 'filter' }
                ? UrlCondition | null
                : string

type SectionOf<K> = K extends `${infer Section}.${string}` ? Section : never
type NameIn<K, Section extends string> = K extends `${Section}.${infer Name}` ? Name : never

/** What `erace.config.ts` exports: any of the settings, as docs/config.md lists them. */
export type ConfigInput = {
  readonly [Section in SectionOf<SettingKey>]?: {
    readonly [K in SettingKey as NameIn<K, Section>]?: InputOf<(typeof settings)[K]>
  }
} & { readonly retention?: RetentionInput; readonly sources?: readonly SourceRuleInput[] }
