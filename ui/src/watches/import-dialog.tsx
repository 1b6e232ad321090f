import { type ChangeEvent, useState } from 'react'
import { api, detailOf } from '../api/client.ts'
import { useChange } from '../api/queries.ts'
import type { SourceImported } from '../api/types.ts'
import { Button } from '../kit/button.tsx'
import { ConfirmDialog, Dialog } from '../kit/dialog.tsx'
import { Field, useFieldProps } from '../kit/field.tsx'
import { optionsOf, Select, TextArea } from '../kit/input.tsx'
import { strings as shared } from '../kit/strings.ts'
import { Table } from '../kit/table.tsx'
import { strings } from './strings.ts'

const MAX_BYTES = 2_000_000
const text = strings.importing
const intervals = optionsOf(text.intervals)

export function ImportDialog({ onClose }: { onClose: () => void }) {
  const [list, setList] = useState('')
  const [every, setEvery] = useState('')
  const [error, setError] = useState<string>()
  const body = { text: list, ...(every !== '' && { every }) }
  const post = () => api.post<SourceImported>('/sources/import', body)
  const send = useChange(['watches', 'sources', 'profiles', 'counts'], post, {
    onError: (failure) => setError(detailOf(failure)),
  })

  async function takeFile([file]: readonly File[]) {
    if (file === undefined) return
    setError(file.size > MAX_BYTES ? text.tooLarge : undefined)
    if (file.size <= MAX_BYTES) setList(await file.text())
  }

  if (send.isSuccess) {
    const again = () => {
      send.reset()
      setList('')
    }
    return (
      <Dialog
        title={text.doneTitle}
        wide
        onClose={onClose}
        actions={
          <>
            <Button label={text.more} onClick={again} />
            <Button label={shared.done} variant="primary" onClick={onClose} />
          </>
        }
      >
        <ImportResult result={send.data} />
      </Dialog>
    )
  }
  return (
    <ConfirmDialog
      title={text.title}
      wide
      confirm={send.isPending ? text.submitting : strings.import}
      variant="primary"
      icon="upload"
      disabled={list.trim() === '' || send.isPending}
      onConfirm={send.mutate}
      onClose={onClose}
    >
      <Field label={text.text} hint={text.textHint} error={error}>
        <TextArea
          className="mono"
          rows={10}
          spellCheck={false}
          value={list}
          placeholder={text.example}
          onChange={setList}
        />
      </Field>
      <div className="watches-import-more">
        <Field label={text.file}>
          <FileInput onChange={(files) => void takeFile(files)} />
        </Field>
        <Field label={text.every}>
          <Select value={every} options={intervals} onChange={setEvery} />
        </Field>
      </div>
    </ConfirmDialog>
  )
}

function ImportResult({ result: { added, profiles, skipped } }: { result: SourceImported }) {
  return (
    <div className="kit-form">
      <p>
        <strong>{text.added(added)}</strong>
        {text.details(profiles.length, skipped.length)} {added > 0 && text.baseline}
        {added === 0 && skipped.length === 0 && text.nothing}
      </p>
      {skipped.length > 0 && (
        <div className="watches-skipped">
          <Table
            label={text.skippedTable}
            rows={skipped}
            rowKey={(entry) => `${entry.line} ${entry.text}`}
            columns={[
              { key: 'line', head: text.line, numbers: true, cell: ({ line }) => line },
              {
                key: 'text',
                head: text.skipped,
                cell: (entry) => <span className="break">{entry.text}</span>,
              },
              { key: 'why', head: text.why, cell: ({ why }) => why },
            ]}
          />
        </div>
      )}
    </div>
  )
}

const fileTypes = '.opml,.xml,.txt,.csv,text/plain,text/xml,text/x-opml'

function FileInput({ onChange }: { onChange: (files: readonly File[]) => void }) {
  const field = useFieldProps()
  const take = (event: ChangeEvent<HTMLInputElement>) => onChange([...(event.target.files ?? [])])
  return <input type="file" className="kit-input" {...field} accept={fileTypes} onChange={take} />
}
