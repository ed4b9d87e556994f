"""Ray, Dask and Spark behind one face, and what is read and killed with them."""


class Ray:
    def __init__(self):
        self.module = __import__("ocior.ray").ray

    def read(self, paths, **options):
        return self.module.read_json(paths, **options)

    def table(self, dataset):
        import pyarrow
        import ray

        return pyarrow.concat_tables(ray.get(dataset.to_arrow_refs()), promote_options="permissive")

    def count(self, dataset):
        return dataset.count()

    def select(self, dataset, names):
        return dataset.select_columns(names)

    def names(self, dataset):
        return dataset.schema().names

    def each(self, dataset, function):
        return dataset.map_batches(function, batch_format="pyarrow", batch_size=None)

    def write(self, dataset, folder, **options):
        self.module.write_json(dataset, folder, **options)


class Dask:
    def __init__(self):
        self.module = __import__("ocior.dask").dask

    def read(self, paths, **options):
        return self.module.read_json(paths, **options)

    def table(self, frame):
        import pyarrow

        return pyarrow.Table.from_pandas(frame.compute(), preserve_index=False)

    def count(self, frame):
        return len(frame)

    def select(self, frame, names):
        return frame[names]

    def names(self, frame):
        return list(frame.columns)

    def each(self, frame, function):
        return frame.map_partitions(function, meta=frame._meta)

    def write(self, frame, folder, **options):
        self.module.write_json(frame, folder, **options)


class Spark:
    def __init__(self, session):
        self.module = __import__("ocior.spark").spark
        self.session = session

    def read(self, paths, **options):
        return self.module.read_json(self.session, paths, **options)

    def table(self, frame):
        return frame.toArrow()

    def count(self, frame):
        return frame.count()

    def select(self, frame, names):
        return frame.select(*names)

    def names(self, frame):
        return frame.columns

    def each(self, frame, function):
        def batches(iterator):
            yield from map(function, iterator)

        return frame.mapInArrow(batches, frame.schema)

    def write(self, frame, folder, **options):
        self.module.write_json(frame, folder, **options)


def rows_of(count, first=0):
    for number in range(first, first + count):
        yield {
            "id": number,
            "name": f"名{number}",
            "part": number / 8,
            "tags": ["a"] * (number % 3),
            "user": {"id": -number, "on": number % 2 == 0},
        }


def kill_once(marker):
    """A function that kills its process the first time that it is called anywhere, and then returns its argument."""

    def function(argument):
        import os
        import signal

        try:
            os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return argument
        os.kill(os.getpid(), signal.SIGKILL)

    marker = str(marker)
    return function
