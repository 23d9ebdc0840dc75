"""JSON values of arguments: decoding, equality, schemas, differences, defaults and dates."""
