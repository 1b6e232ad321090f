import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ChangeEvent, useState } from 'react'
import { ApiError, api, messageOf } from '../api/client.ts'
import type { SourceImported } from '../api/types.ts'
import { Button } from '../kit/button.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { Field } from '../kit/field.tsx'
import { Select, TextArea } from '../kit/input.tsx'
import { FileInput } from './file-input.tsx'
import { ImportResult } from './import-result.tsx'

const MAX_BYTES = 2_000_000
const intervals = [
  { value: '', label: 'As usual, every hour' },
  { value: '10m', label: 'Every 10 minutes' },
  { value: '6h', label: 'Every 6 hours' },
  { value: '1d', label: 'Every day' },
  { value: '7d', label: 'Every week' },
]

function faultOf(error: unknown): string {
  const detail = error instanceof ApiError ? error.details[0]?.message : undefined
  return detail ?? messageOf(error)
}

export function ImportDialog({ onClose }: { onClose: () => void }) {
  const client = useQueryClient()
  const [text, setText] = useState('')
  const [every, setEvery] = useState('')
  const [fault, setFault] = useState<string>()
  const send = useMutation({
    mutationFn: () => api.post<SourceImported>('/sources/import', { text, ...(every !== '' && { every }) }),
    onSuccess: () => {
      for (const key of ['watches', 'sources', 'profiles', 'counts']) void client.invalidateQueries({ queryKey: [key] })
    },
    onError: (error) => setFault(faultOf(error)),
  })

  async function takeFile(event: ChangeEvent<HTMLInputElement>) {
    const [file] = event.target.files ?? []
    if (file === undefined) return
    setFault(file.size > MAX_BYTES ? 'The file is larger than 2 MB. Split it, then import the parts.' : undefined)
    if (file.size <= MAX_BYTES) setText(await file.text())
  }

  if (send.isSuccess) {
    const again = () => {
      send.reset()
      setText('')
    }
    return (
      <Dialog
        title="Imported"
        wide
        onClose={onClose}
        actions={
          <>
            <Button onClick={again}>Import more</Button>
            <Button look="primary" onClick={onClose}>
              Done
            </Button>
          </>
        }
      >
        <ImportResult result={send.data} />
      </Dialog>
    )
  }
  return (
    <Dialog
      title="Import watches"
      wide
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="primary"
            icon="upload"
            disabled={text.trim() === '' || send.isPending}
            onClick={() => send.mutate()}
          >
            {send.isPending ? 'Importing…' : 'Import'}
          </Button>
        </>
      }
    >
      <div className="kit-form">
        <Field
          label="Addresses, one on each line, or the content of an OPML file"
          hint="OPML is what feed readers export. What it is, is recognised."
          error={fault}
        >
          <TextArea
            className="watches-import-text"
            rows={10}
            spellCheck={false}
            value={text}
            placeholder={'https://example.org/news/\nhttps://example.com/prices.html'}
            onChange={(event) => setText(event.target.value)}
          />
        </Field>
        <div className="watches-import-more">
          <Field label="Or take a file">
            <FileInput
              accept=".opml,.xml,.txt,.csv,text/plain,text/xml,text/x-opml"
              onChange={(event) => void takeFile(event)}
            />
          </Field>
          <Field label="Check them">
            <Select value={every} options={intervals} onChange={setEvery} />
          </Field>
        </div>
      </div>
    </Dialog>
  )
}
