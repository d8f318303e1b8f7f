/* cache.h -- what the cache's reader and writer agree on. */
#ifndef CACHE_H
#define CACHE_H

/* In the metadata, under "format".  The number rises when an old reader would go wrong. */
#define CACHE_FORMAT "peck data 1"

#define CACHE_ENDINGS ".peckdata", ".safetensors", ".cache"

#endif
