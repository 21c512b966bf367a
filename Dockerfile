# labelfree with everything a reader needs; run it on a folder of yours:
#   docker build -t labelfree .
#   docker run --rm -v "$PWD:/work" labelfree ocr run book/ --lang en -o out
FROM python:3.13-slim AS build
COPY . /source
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels /source

FROM python:3.13-slim
RUN apt-get update -qq && apt-get install -qq --no-install-recommends tesseract-ocr && rm -rf /var/lib/apt/lists/*
COPY --from=build /wheels /wheels
COPY constraints.txt /
RUN pip install --no-cache-dir --constraint /constraints.txt --extra-index-url https://download.pytorch.org/whl/cpu \
    "$(ls /wheels/*.whl)[dask,studio]" && rm -r /wheels
RUN useradd --create-home reader
USER reader
WORKDIR /work
ENTRYPOINT ["labelfree"]
CMD ["--help"]
