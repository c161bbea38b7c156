package correlate

// chunkSize is how many accounts, and so at most how many facts, are stored in one record.
const chunkSize = 256
