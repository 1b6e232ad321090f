import { Field } from '../kit/field.tsx'
import { Input, optionsOf, Select, Switch, TextArea } from '../kit/input.tsx'
import type { SourceForm, SourceKind } from './source-uri.ts'
import { strings } from './strings.ts'

const text = strings.sources

type Props<K extends SourceKind> = {
  form: Extract<SourceForm, { kind: K }>
  /** The error about the address built from the fields. */
  error: string | undefined
  label: string
  onChange: (form: SourceForm) => void
}

const typed = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false } as const

/** The fields of a kind of source, from which its address is built. */
export function KindFields({ form, ...rest }: Props<SourceKind>) {
  switch (form.kind) {
    case 'page':
      return <Address {...rest} form={form} example={text.addressExample} />
    case 'feed':
      return <Address {...rest} form={form} example={text.feedExample} />
    case 'other':
      return <Address {...rest} form={form} example={text.otherExample} />
    case 'mailbox':
      return <Mailbox {...rest} form={form} />
    case 'newsgroup':
      return <Newsgroup {...rest} form={form} />
    case 'database':
      return <Database {...rest} form={form} />
    case 'query':
      return <Query {...rest} form={form} />
    case 'files':
      return <Files {...rest} form={form} />
  }
}

function Address({ form, error, label, example, onChange }: Props<'page' | 'feed' | 'other'> & { example: string }) {
  return (
    <Field label={label} error={error}>
      <Input
        {...typed}
        inputMode="url"
        placeholder={example}
        value={form.address}
        onChange={(address) => onChange({ ...form, address })}
      />
    </Field>
  )
}

type TextProps = {
  label: string
  value: string
  onChange: (value: string) => void
  hint?: string
  error?: string | undefined
  example?: string
}

function Text({ label, hint, error, example, value, onChange }: TextProps) {
  return (
    <Field label={label} error={error} {...(hint !== undefined && { hint })}>
      <Input {...typed} placeholder={example} value={value} onChange={onChange} />
    </Field>
  )
}

function Mailbox({ form, error, onChange }: Props<'mailbox'>) {
  const change = (changes: Partial<typeof form>) => onChange({ ...form, ...changes })
  return (
    <>
      <div className="profiles-pair">
        <Text
          label={text.server}
          hint={text.serverHint}
          error={error}
          example={text.serverExample}
          value={form.host}
          onChange={(host) => change({ host })}
        />
        <Field label={text.protocol}>
          <Select
            value={form.protocol}
            options={optionsOf(text.mailProtocols)}
            onChange={(protocol) => change({ protocol: protocol as typeof form.protocol })}
          />
        </Field>
        {form.protocol === 'imap' && (
          <Text
            label={text.mailbox}
            example={text.mailboxExample}
            value={form.mailbox}
            onChange={(mailbox) => change({ mailbox })}
          />
        )}
      </div>
      <Switch label={text.tls} checked={form.tls} onChange={(tls) => change({ tls })} />
    </>
  )
}

function Newsgroup({ form, error, onChange }: Props<'newsgroup'>) {
  const change = (changes: Partial<typeof form>) => onChange({ ...form, ...changes })
  return (
    <>
      <div className="profiles-pair">
        <Text
          label={text.server}
          error={error}
          example={text.newsExample}
          value={form.host}
          onChange={(host) => change({ host })}
        />
        <Text
          label={text.group}
          example={text.groupExample}
          value={form.group}
          onChange={(group) => change({ group })}
        />
      </div>
      <Switch label={text.tls} checked={form.tls} onChange={(tls) => change({ tls })} />
    </>
  )
}

const aboutQuery = /quer|statement|select|sql|comment|quotation/i

function Database({ form, error, onChange }: Props<'database'>) {
  const change = (changes: Partial<typeof form>) => onChange({ ...form, ...changes })
  const isFile = form.system === 'sqlite'
  const isOfQuery = error !== undefined && aboutQuery.test(error)
  return (
    <>
      <div className="profiles-pair">
        <Field label={text.system}>
          <Select
            value={form.system}
            options={optionsOf(text.systems)}
            onChange={(system) => change({ system: system as typeof form.system })}
          />
        </Field>
        {!isFile && (
          <Text
            label={text.server}
            error={isOfQuery ? undefined : error}
            example={text.databaseServerExample}
            value={form.host}
            onChange={(host) => change({ host })}
          />
        )}
        {isFile ? (
          <Text
            label={text.databaseFile}
            hint={text.databaseFileHint}
            error={isOfQuery ? undefined : error}
            example={text.databaseFileExample}
            value={form.database}
            onChange={(database) => change({ database })}
          />
        ) : (
          <Text label={text.database} value={form.database} onChange={(database) => change({ database })} />
        )}
        {!isFile && (
          <Field label={text.encryption}>
            <Select
              value={form.tls}
              options={optionsOf(text.encryptions)}
              onChange={(tls) => change({ tls: tls as typeof form.tls })}
            />
          </Field>
        )}
      </div>
      <Field label={text.sql} hint={text.sqlHint} error={isOfQuery ? error : undefined}>
        <TextArea
          className="mono profiles-expression"
          rows={3}
          spellCheck={false}
          placeholder={text.sqlExample}
          value={form.query}
          onChange={(query) => change({ query })}
        />
      </Field>
      <RowNames form={form} onChange={change} />
    </>
  )
}

type RowNamesProps = {
  form: { key: string; title: string }
  onChange: (changes: { key?: string; title?: string }) => void
}

function RowNames({ form, onChange }: RowNamesProps) {
  return (
    <div className="profiles-pair">
      <Text label={text.key} hint={text.keyHint} value={form.key} onChange={(key) => onChange({ key })} />
      <Text label={text.titleColumn} value={form.title} onChange={(title) => onChange({ title })} />
    </div>
  )
}

const lines = (value: string): string[] => (value === '' ? [] : value.split('\n'))

function Query({ form, error, onChange }: Props<'query'>) {
  const change = (changes: Partial<typeof form>) => onChange({ ...form, ...changes })
  const isOfRows = error !== undefined && /rows/i.test(error)
  return (
    <>
      <Text
        label={text.queryAddress}
        error={isOfRows ? undefined : error}
        example={text.queryExample}
        value={form.address}
        onChange={(address) => change({ address })}
      />
      <div className="profiles-pair">
        <Field label={text.method}>
          <Select
            value={form.method}
            options={optionsOf(text.methods)}
            onChange={(method) => change({ method: method as typeof form.method })}
          />
        </Field>
        <Text
          label={text.rows}
          hint={text.rowsHint}
          error={isOfRows ? error : undefined}
          example={text.rowsExample}
          value={form.rows}
          onChange={(rows) => change({ rows })}
        />
      </div>
      {form.method !== 'GET' && (
        <Field label={text.body}>
          <TextArea
            className="mono profiles-expression"
            rows={3}
            spellCheck={false}
            value={form.body}
            onChange={(body) => change({ body })}
          />
        </Field>
      )}
      <RowNames form={form} onChange={change} />
      <Field label={text.cells} hint={text.cellsHint}>
        <TextArea
          className="mono profiles-expression"
          rows={2}
          spellCheck={false}
          value={form.cells.join('\n')}
          onChange={(value) => change({ cells: lines(value) })}
        />
      </Field>
      <div className="profiles-pair">
        <Text label={text.next} hint={text.nextHint} value={form.next} onChange={(next) => change({ next })} />
        <Text label={text.page} hint={text.pageHint} value={form.page} onChange={(page) => change({ page })} />
        {(form.next !== '' || form.page !== '') && (
          <Field label={text.pages}>
            <Input inputMode="numeric" value={form.pages} onChange={(pages) => change({ pages })} />
          </Field>
        )}
      </div>
    </>
  )
}

function Files({ form, error, onChange }: Props<'files'>) {
  const change = (changes: Partial<typeof form>) => onChange({ ...form, ...changes })
  const isLocal = form.place === 'file'
  return (
    <div className="profiles-pair">
      <Field label={text.place}>
        <Select
          value={form.place}
          options={optionsOf(text.places)}
          onChange={(place) => change({ place: place as typeof form.place, host: place === 'file' ? '' : form.host })}
        />
      </Field>
      {!isLocal && <Text label={text.server} error={error} value={form.host} onChange={(host) => change({ host })} />}
      <Text
        label={text.path}
        hint={isLocal ? text.pathHint.file : text.pathHint.other}
        error={isLocal ? error : undefined}
        example={text.pathExample}
        value={form.path}
        onChange={(path) => change({ path })}
      />
    </div>
  )
}
