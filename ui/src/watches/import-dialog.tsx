import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ChangeEvent, useState } from 'react'
import { ApiError, api, messageOf } from '../api/client.ts'
import type { SourceImported } from '../api/types.ts'
import { Button } from '../kit/button.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { Field, useFieldProps } from '../kit/field.tsx'
import { Select, TextArea } from '../kit/input.tsx'
import { Table } from '../kit/table.tsx'
import { strings } from './strings.ts'

const MAX_BYTES = 2_000_000
const text = strings.importing
const intervals = Object.entries(text.intervals).map(([value, label]) => ({ value, label }))

function errorText(error: unknown): string {
  const detail = error instanceof ApiError ? error.details[0]?.message : undefined
  return detail ?? messageOf(error)
}

export function ImportDialog({ onClose }: { onClose: () => void }) {
  const client = useQueryClient()
  const [list, setList] = useState('')
  const [every, setEvery] = useState('')
  const [error, setError] = useState<string>()
  const send = useMutation({
    mutationFn: () => api.post<SourceImported>('/sources/import', { text: list, ...(every !== '' && { every }) }),
    onSuccess: () => {
      for (const key of ['watches', 'sources', 'profiles', 'counts']) void client.invalidateQueries({ queryKey: [key] })
    },
    onError: (failure) => setError(errorText(failure)),
  })

  async function takeFile(event: ChangeEvent<HTMLInputElement>) {
    const [file] = event.target.files ?? []
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
            <Button label={strings.done} variant="primary" onClick={onClose} />
          </>
        }
      >
        <ImportResult result={send.data} />
      </Dialog>
    )
  }
  return (
    <Dialog
      title={text.title}
      wide
      onClose={onClose}
      actions={
        <>
          <Button label={strings.cancel} onClick={onClose} />
          <Button
            label={send.isPending ? text.submitting : strings.import}
            variant="primary"
            icon="upload"
            disabled={list.trim() === '' || send.isPending}
            onClick={() => send.mutate()}
          />
        </>
      }
    >
      <div className="kit-form">
        <Field label={text.text} hint={text.textHint} error={error}>
          <TextArea
            className="watches-import-text"
            rows={10}
            spellCheck={false}
            value={list}
            placeholder={text.example}
            onChange={(event) => setList(event.target.value)}
          />
        </Field>
        <div className="watches-import-more">
          <Field label={text.file}>
            <FileInput
              accept=".opml,.xml,.txt,.csv,text/plain,text/xml,text/x-opml"
              onChange={(event) => void takeFile(event)}
            />
          </Field>
          <Field label={text.every}>
            <Select value={every} options={intervals} onChange={setEvery} />
          </Field>
        </div>
      </div>
    </Dialog>
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
                cell: (entry) => <span className="watches-skipped-text">{entry.text}</span>,
              },
              { key: 'why', head: text.why, cell: ({ why }) => why },
            ]}
          />
        </div>
      )}
    </div>
  )
}

type FileProps = { accept: string; onChange: (event: ChangeEvent<HTMLInputElement>) => void }

function FileInput({ accept, onChange }: FileProps) {
  return (
    <input type="file" className="kit-input watches-file" {...useFieldProps()} accept={accept} onChange={onChange} />
  )
}
