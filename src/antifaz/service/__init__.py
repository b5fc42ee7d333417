"""What a server needs and a command does not: data sets by ids, jobs, workers, the vault.

The way of one run, from its route to the pipeline; each line is one function:

1. `web.security.AccessGuard.__call__` lets the request in
2. `web.routes.runs.start_run`
3. `jobs.JobQueue.add` checks what is asked (`jobs.check_request`)
4. `job_store.JobStore.add` writes the job's row, the one place of its state
5. `jobs.JobQueue._serve`, in a thread, waits for jobs
6. `job_store.JobStore.claim` takes the one whose turn it is (`job_slots.JobSlots`)
7. `jobs.JobQueue._work`
8. `jobs.JobQueue._order` says what the worker needs, and hands it the data's bytes in memory
9. `worker_process.WorkerPool.start` has a worker forked (`fork_server`), and `WorkerProcess` listens to it
10. `worker.main`, in a process of its own
11. `worker._work` loads the project
12. `projects.actions.run`, as a command does, which runs the pipeline

How it went comes back as lines of JSON (9) into `JobProgress` in memory; how it ended into the job's row, and from
there into the run that the stored project lists (`jobs.JobQueue._end`).
"""
