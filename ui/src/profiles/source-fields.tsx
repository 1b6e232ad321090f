import { useState } from 'react'
import { Field } from '../kit/field.tsx'
import { IconButton } from '../kit/icon-button.tsx'
import { Input, Select } from '../kit/input.tsx'
import type { DraftSource, ScopeKind } from './draft.ts'
import { EveryField } from './every-field.tsx'
import { useFault } from './faults.ts'
import { WindowFields } from './window-fields.tsx'

const processes = [
  { value: 'filter', label: 'Tell what matches the interests' },
  { value: 'track', label: 'Tell every change' },
  { value: 'archive', label: 'Keep quietly, tell nothing' },
]
const scopes: { value: ScopeKind; label: string }[] = [
  { value: 'page', label: 'This page alone' },
  { value: 'path', label: 'Pages below the same path' },
  { value: 'host', label: 'Pages on the same host' },
  { value: 'domain', label: 'Pages on the same domain' },
  { value: 'pattern', label: 'Addresses that match a pattern' },
]
const depths = [
  { value: '0', label: 'None, the page alone' },
  ...[1, 2, 3, 4, 5, 6, 8, 10].map((depth) => ({
    value: String(depth),
    label: `${depth} ${depth === 1 ? 'link' : 'links'} deep`,
  })),
]

type Props = {
  at: number
  source: DraftSource
  isOnly: boolean
  /** What is done where nothing is chosen. */
  usual: string
  onChange: (changes: Partial<DraftSource>) => void
  onRemove: () => void
}

export function SourceFields({ at, source, isOnly, usual, onChange, onRemove }: Props) {
  const place = `sources[${at}]`
  const fault = {
    uri: useFault(`${place}.uri`),
    every: useFault(`${place}.every`),
    everyMax: useFault(`${place}.everyMax`),
    depth: useFault(`${place}.depth`),
    scope: useFault(`${place}.scope`),
    process: useFault(`${place}.process`),
  }
  const [isOpen, setIsOpen] = useState(source.depth > 0 || source.window !== null || source.everyMax !== '')
  const depth = String(source.depth)
  const depthOptions = depths.some(({ value }) => value === depth)
    ? depths
    : [...depths, { value: depth, label: `${depth} links deep` }]
  return (
    <li className="profiles-source">
      <div className="profiles-uri">
        <Field label={isOnly ? 'Address' : `Address ${at + 1}`} error={fault.uri}>
          <Input
            inputMode="url"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            placeholder="https://example.org/news/"
            value={source.uri}
            onChange={(event) => onChange({ uri: event.target.value })}
          />
        </Field>
        {!isOnly && <IconButton icon="trash" label={`Remove address ${at + 1}`} tip="end" onClick={onRemove} />}
      </div>
      <div className="profiles-pair">
        <EveryField value={source.every} error={fault.every} onChange={(every) => onChange({ every })} />
        <Field label="What to do" error={fault.process}>
          <Select
            value={source.process}
            options={[{ value: '', label: `Usual: ${usual}` }, ...processes]}
            onChange={(process) => onChange({ process: process as DraftSource['process'] })}
          />
        </Field>
      </div>
      <details className="profiles-more" open={isOpen} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
        <summary>Links to follow, and when</summary>
        <div className="kit-form">
          <div className="profiles-pair">
            <Field label="Follow links" error={fault.depth}>
              <Select value={depth} options={depthOptions} onChange={(value) => onChange({ depth: Number(value) })} />
            </Field>
            <Field label="To" error={source.scope === 'pattern' ? undefined : fault.scope}>
              <Select
                value={source.scope}
                options={scopes}
                disabled={source.depth === 0}
                onChange={(scope) => onChange({ scope: scope as ScopeKind })}
              />
            </Field>
            {source.scope === 'pattern' && (
              <Field label="Pattern" hint="A regular expression for whole addresses" error={fault.scope}>
                <Input
                  spellCheck={false}
                  placeholder="https?://example\.org/news/.*"
                  value={source.pattern}
                  onChange={(event) => onChange({ pattern: event.target.value })}
                />
              </Field>
            )}
            <Field label="Seldom changing: up to" hint="Empty for never, or an interval as 1d" error={fault.everyMax}>
              <Input value={source.everyMax} onChange={(event) => onChange({ everyMax: event.target.value })} />
            </Field>
          </div>
          <WindowFields place={`${place}.window`} value={source.window} onChange={(window) => onChange({ window })} />
        </div>
      </details>
    </li>
  )
}
